/// The pictures of a page: each `og:image` with the structured properties that follow it.
struct ImageGroups {
  /// One picture.
  struct Group {
    fileprivate(set) var values: [Property: PageValue] = [:]

    /// Where its address stood.
    var place: String { (self[.url] ?? self[.secureURL])?.place ?? "" }

    subscript(_ property: Property) -> PageValue? { values[property] }
  }

  /// A property of a picture.
  enum Property: String {
    case url = "og:image:url"
    case secureURL = "og:image:secure_url"
    case type = "og:image:type"
    case width = "og:image:width"
    case height = "og:image:height"
    case alt = "og:image:alt"
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

  mutating func receive(_ value: PageValue, for key: String) {
    if key == "og:image" {
      open(with: value)
      state = groups.isEmpty || state == .outside ? state : .justOpened
    } else if let property = Property(rawValue: key) {
      receive(value, for: property)
    }
  }

  private mutating func receive(_ value: PageValue, for property: Property) {
    if property == .url, !repeatsOpenGroup(value) { open(with: value) }
    guard state != .outside else { return }
    state = .inside
    let last = groups.count - 1
    if groups[last][property] == nil, !value.text.isBlank { groups[last].values[property] = value }
  }

  private func repeatsOpenGroup(_ url: PageValue) -> Bool {
    switch state {
    case .outside: false
    case .justOpened: true
    case .inside: groups.last?[.url]?.text == url.text
    }
  }

  private mutating func open(with url: PageValue) {
    guard groups.count < Self.maximumCount else {
      state = .outside
      return
    }
    groups.append(Group(values: url.text.isBlank ? [:] : [.url: url]))
    state = .inside
  }

  /// All values, for guessing their character set.
  var values: [PageValue] { groups.flatMap { $0.values.values } }
}
