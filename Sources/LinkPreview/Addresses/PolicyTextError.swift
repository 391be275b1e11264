/// A network or a list of ports that an operator wrote and that cannot be understood.
package enum PolicyTextError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Neither an address nor a network.
  case network(String)
  /// The address has bits set beyond the network's prefix.
  case hostBitsSet(String)
  /// Not a list of ports and ranges.
  case ports(String)

  /// What was wrong, the value, and what was expected.
  package var description: String {
    switch self {
    case .network(let text):
      "\(Self.quote(text)) is not a network: write an address and a prefix, such as 10.0.0.0/8"
    case .hostBitsSet(let text):
      "\(Self.quote(text)) has bits set beyond its prefix: write the network's first address"
    case .ports(let text):
      "\(Self.quote(text)) is not a port (1 to 65535) or a range, such as 80,443,8000-8100"
    }
  }

  private static func quote(_ text: String) -> String { text.prefix(64).debugDescription }
}
