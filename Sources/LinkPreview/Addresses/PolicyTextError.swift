internal import Bytes

/// A list of ports that an operator wrote and that cannot be understood.
package enum PolicyTextError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Not a list of ports and ranges.
  case ports(String)

  /// What was wrong, the value, and what was expected.
  package var description: String {
    switch self {
    case .ports(let text):
      "\(DisplayText.quoted(text)) is not a port (1 to 65535) or a range, such as 80,443,8000-8100"
    }
  }
}
