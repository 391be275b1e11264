/// A list of ports that an operator wrote and that cannot be understood.
package enum PolicyTextError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Not a list of ports and ranges.
  case ports(String)

  /// The problem, the value and the expected form.
  package var description: String {
    switch self {
    case .ports(let text):
      "\(Self.quote(text)) is not a port (1 to 65535) or a range, such as 80,443,8000-8100"
    }
  }

  private static func quote(_ text: String) -> String { text.prefix(64).debugDescription }
}
