/// A text that must not be shown: printing, interpolating or reflecting it reveals no part of it.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The text itself.
  package let value: String

  package init(_ value: String) {
    self.value = value
  }

  package var description: String { "(secret)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
