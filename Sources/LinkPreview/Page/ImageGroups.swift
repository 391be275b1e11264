/// The pictures of a page: each `og:image` with the structured properties that follow it.
struct ImageGroups {
  /// One picture.
  struct Group {
    fileprivate(set) var values: [MetaKey: PageValue] = [:]

    subscript(_ property: MetaKey) -> PageValue? { values[property] }

    /// The position of the picture's address.
    var place: String { (self[.imageURL] ?? self[.imageSecureURL])?.place.description ?? "" }
  }

  private(set) var groups: [Group] = []
  private var state = State.outside

  /// The maximum number of candidate pictures.
  private static let maximumCount = 16

  private enum State {
    /// There is no picture that a property could belong to.
    case outside
    /// The last property was an `og:image`: an `og:image:url` would only repeat it.
    case justOpened
    case inside
    /// The picture only has an `og:image:secure_url`; a following `og:image` belongs to it.
    case awaitingAddress
  }

  /// Adds an `og:image`.
  mutating func receiveImage(_ value: PageValue) {
    state = receiveAddress(value) ? .justOpened : .outside
  }

  /// Adds a structured property, including `og:image:url`.
  mutating func receive(_ property: MetaKey, _ value: PageValue) {
    switch (property, state) {
    case (.imageURL, _) where !repeatsOpenGroup(value):
      state = receiveAddress(value) ? .inside : .outside
      return
    case (.imageSecureURL, .outside) where groups.isEmpty, (.imageSecureURL, .awaitingAddress):
      if open(.imageSecureURL, value) { state = .awaitingAddress }
      return
    case (_, .outside): return
    case (_, .awaitingAddress): break
    case (_, .justOpened), (_, .inside): state = .inside
    }
    let last = groups.count - 1
    if groups[last][property] == nil, Self.isWorthKeeping(value, as: property) {
      groups[last].values[property] = value
    }
  }

  private static func isWorthKeeping(_ value: PageValue, as property: MetaKey) -> Bool {
    let isAddress = property == .imageURL || property == .imageSecureURL
    if isAddress, Placeholder.isAddress(value.text.bytes) { return false }
    return value.text.bytes.count <= PageMetadata.maximumAddressLength && !value.text.saysNothing
  }

  private func repeatsOpenGroup(_ url: PageValue) -> Bool {
    switch state {
    case .outside, .awaitingAddress: false
    case .justOpened: true
    case .inside: groups.last?[.imageURL]?.text == url.text
    }
  }

  /// Adds a picture's address: to the picture that has none, or to a new one.
  ///
  /// - Returns: `false` if there are enough pictures.
  private mutating func receiveAddress(_ url: PageValue) -> Bool {
    guard state == .awaitingAddress else { return open(.imageURL, url) }
    if Self.isWorthKeeping(url, as: .imageURL) { groups[groups.count - 1].values[.imageURL] = url }
    return true
  }

  private mutating func open(_ property: MetaKey, _ value: PageValue) -> Bool {
    guard groups.count < Self.maximumCount else { return false }
    groups.append(Group(values: Self.isWorthKeeping(value, as: property) ? [property: value] : [:]))
    return true
  }

  /// All values, for detecting their character set.
  var values: [PageValue] { groups.flatMap { $0.values.values } }
}
