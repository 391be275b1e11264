/// Domains, each of which stands for everything below it too.
package struct DomainSet: Sendable, Hashable {
  /// Lower-case ASCII, no dot at the end.
  private var names: Set<String> = []

  package init() {}

  /// - Throws: ``DomainTextError`` naming the first text that is not a domain.
  package init(_ texts: some Sequence<String>) throws(DomainTextError) {
    for text in texts { try insert(text) }
  }

  package var isEmpty: Bool { names.isEmpty }
  package var count: Int { names.count }

  package init(_ domains: [Domain]) { names = Set(domains.map(\.name)) }

  /// Adds a domain.
  ///
  /// - Throws: ``DomainTextError`` for a text that is none.
  package mutating func insert(_ text: String) throws(DomainTextError) {
    names.insert(try Domain(text).name)
  }

  /// The domain that covers `name`: itself or the nearest above it.
  ///
  /// - Parameter name: As in ``Host/name(_:)``.
  /// - Complexity: O(*n*) in the length of the name, whatever the size of the set.
  package func domain(covering name: String) -> String? {
    guard !names.isEmpty else { return nil }
    var rest = Substring(name)
    while true {
      let candidate = String(rest)
      if names.contains(candidate) { return candidate }
      guard let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
      rest = rest[rest.utf8.index(after: dot)...]
    }
  }
}
