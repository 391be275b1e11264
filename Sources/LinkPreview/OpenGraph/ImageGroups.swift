/// The pictures of a page: each `og:image` with the structured properties that follow it.
struct ImageGroups {
  /// One picture.
  struct Group {
    fileprivate(set) var values: [MetaKey: PageValue] = [:]

    subscript(_ property: MetaKey) -> PageValue? { values[property] }

    /// Where its address stood.
    var place: String { (self[.imageURL] ?? self[.imageSecureURL])?.place.description ?? "" }
  }

  private(set) var groups: [Group] = []
  private var state = State.outside

  /// How many pictures are kept as candidates.
  private static let maximumCount = 16

  private enum State {
    /// There is no picture that a property could belong to.
    case outside
    /// The last property was an `og:image`: an `og:image:url` would only repeat it.
    case justOpened
    case inside
  }

  /// Takes an `og:image`.
  mutating func receiveImage(_ value: PageValue) {
    open(with: value)
    if state == .inside { state = .justOpened }
  }

  /// Takes one of the structured properties, `og:image:url` among them.
  mutating func receive(_ property: MetaKey, _ value: PageValue) {
    if property == .imageURL, !repeatsOpenGroup(value) { open(with: value) }
    guard state != .outside else { return }
    state = .inside
    let last = groups.count - 1
    if groups[last][property] == nil, Self.isWorthKeeping(value) {
      groups[last].values[property] = value
    }
  }

  private static func isWorthKeeping(_ value: PageValue) -> Bool {
    value.text.bytes.count <= PageMetadata.maximumAddressLength && !value.text.isBlank
  }

  private func repeatsOpenGroup(_ url: PageValue) -> Bool {
    switch state {
    case .outside: false
    case .justOpened: true
    case .inside: groups.last?[.imageURL]?.text == url.text
    }
  }

  private mutating func open(with url: PageValue) {
    guard groups.count < Self.maximumCount else {
      state = .outside
      return
    }
    groups.append(Group(values: Self.isWorthKeeping(url) ? [.imageURL: url] : [:]))
    state = .inside
  }

  /// All values, for guessing their character set.
  var values: [PageValue] { groups.flatMap { $0.values.values } }
}
