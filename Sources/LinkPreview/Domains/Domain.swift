internal import Basics

/// A domain name, which stands for everything below it too.
package struct Domain: Sendable, Hashable, CustomStringConvertible {
  /// Lower-case ASCII, no dot at the end.
  package let name: String

  /// Reads a domain in any notation that a browser takes, `*.` before it tolerated.
  ///
  /// - Throws: ``DomainTextError`` naming the text when it is not a domain: a URL, an address, an
  ///   empty label.
  package init(_ text: String) throws(DomainTextError) {
    let name = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
    // A host may be percent-encoded in a URL; nobody writes domains that way on purpose.
    guard !name.utf8.contains(UInt8(ascii: "%")),
      case .name(let normal) = Host(parsing: Array(name.utf8)[...])
    else { throw DomainTextError(text) }
    self.name = normal
  }

  package var description: String { name }
}
