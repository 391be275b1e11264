internal import Basics

/// A domain name, which includes all its subdomains.
package struct Domain: Sendable, Hashable, CustomStringConvertible {
  /// Lower-case ASCII, without a trailing dot.
  package let name: String

  /// Parses a domain in any notation that a browser accepts; a leading `*.` is allowed.
  ///
  /// - Throws: ``DomainTextError`` with the text if it is not a domain: a URL, an address, an empty
  ///   label.
  package init(_ text: String) throws(DomainTextError) {
    let name = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
    // A host in a URL may be percent-encoded; in a list of domains this is an error.
    guard !name.utf8.contains(UInt8(ascii: "%")),
      case .name(let normal) = Host(parsing: Array(name.utf8)[...])
    else { throw DomainTextError(text) }
    self.name = normal
  }

  package var description: String { name }
}

/// A text that is not a domain, where one was expected.
package struct DomainTextError: Error, Sendable, Hashable, CustomStringConvertible {
  private let text: String

  init(_ text: String) { self.text = text }

  /// The problem, the value and the expected form.
  package var description: String {
    "\(DisplayText.quoted(text)) is not a domain: write a name, such as example.com"
  }
}

/// Domains, each of which includes all its subdomains.
package struct DomainSet: Sendable, Hashable {
  /// Lower-case ASCII, without trailing dots.
  private var names: Set<String> = []

  package init() {}

  /// - Throws: ``DomainTextError`` with the first text that is not a domain.
  package init(_ texts: some Sequence<String>) throws(DomainTextError) {
    for text in texts { try insert(text) }
  }

  package var isEmpty: Bool { names.isEmpty }
  package var count: Int { names.count }

  package init(_ domains: [Domain]) { names = Set(domains.map(\.name)) }

  /// Adds a domain.
  ///
  /// - Throws: ``DomainTextError`` for a text that is not a domain.
  package mutating func insert(_ text: String) throws(DomainTextError) {
    names.insert(try Domain(text).name)
  }

  /// Returns the domain that covers `name`: itself or its nearest parent.
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
