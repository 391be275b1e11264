/// A domain as a setting gives it: `example.com`, which stands for everything below it too.
package struct DomainText: Sendable, Hashable, CustomStringConvertible {
  /// In lower case; not in international form.
  package let name: String

  static let expectation = "a domain, such as example.com"

  /// Reads a domain; `nil` when it is none: a URL, an address, a pattern, an empty label.
  package init?(_ text: String) {
    let name = text.lowercased()
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    let isSound = labels.allSatisfy { label in
      !label.isEmpty && label.utf8.count <= 252 && !label.contains { "/:@*?#[]\\ \t".contains($0) }
    }
    guard isSound, name.utf8.count <= 253, IPAddressText.family(of: name) == nil else {
      return nil
    }
    self.name = name
  }

  package var description: String { name }
}
