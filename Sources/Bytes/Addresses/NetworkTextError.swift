/// Why a text is not a network.
package enum NetworkTextError: Error, Sendable, Hashable {
  /// Neither an address nor a network.
  case malformed(String)
  /// The address has bits set beyond the network's prefix.
  case hostBitsSet(String)
}

extension NetworkTextError: CustomStringConvertible {
  /// The value, the problem, and what was expected.
  package var description: String {
    switch self {
    case .malformed(let text):
      "\(Self.quote(text)) is not a network: write an address and a prefix, such as 10.0.0.0/8"
    case .hostBitsSet(let text):
      "\(Self.quote(text)) has bits set beyond its prefix: write the network's first address"
    }
  }

  private static func quote(_ text: String) -> String { text.prefix(64).debugDescription }
}
