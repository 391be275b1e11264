internal import Basics

/// A text that should name a domain and does not.
package struct DomainTextError: Error, Sendable, Hashable, CustomStringConvertible {
  private let text: String

  init(_ text: String) { self.text = text }

  /// The problem, the value and the expected form.
  package var description: String {
    "\(DisplayText.quoted(text)) is not a domain: write a name, such as example.com"
  }
}
