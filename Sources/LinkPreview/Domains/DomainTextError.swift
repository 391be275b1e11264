internal import Bytes

/// A text that should name a domain and does not.
package struct DomainTextError: Error, Sendable, Hashable, CustomStringConvertible {
  private let text: String

  init(_ text: String) { self.text = text }

  /// What was wrong, the value, and what was expected.
  package var description: String {
    "\(DisplayText.quoted(text)) is not a domain: write a name, such as example.com"
  }
}
