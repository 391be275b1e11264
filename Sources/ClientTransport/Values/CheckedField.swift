/// A checked header field of the opening handshake and of requests.
package struct CheckedField: Sendable, Hashable {
  package let name: String
  package let value: String

  /// The header fields that the opening handshake itself sets, in lower case.
  private static let reserved: Set<String> = [
    "host", "upgrade", "connection", "content-length", "transfer-encoding",
  ]

  /// - Throws: ``ConnectionPlanError/invalidConfiguration(_:)`` with the name of the field.
  private init(checking name: String, _ value: String) throws(ConnectionPlanError) {
    let lowercased = name.lowercased()
    guard !Self.reserved.contains(lowercased), !lowercased.hasPrefix("sec-websocket-") else {
      throw .invalidConfiguration("the header \(name) is the opening handshake's own")
    }
    guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte),
      value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7f) || $0 == 0x09 })
    else {
      throw .invalidConfiguration("the header \"\(name.prefix(40))\" can't be sent as it is")
    }
    self.name = name
    self.value = value
  }

  /// Checks fields that an application adds.
  ///
  /// - Throws: ``ConnectionPlanError/invalidConfiguration(_:)`` with the name of the first bad field.
  static func checked(
    _ fields: [(name: String, value: String)]
  ) throws(ConnectionPlanError) -> [CheckedField] {
    var checked: [CheckedField] = []
    for (name, value) in fields { checked.append(try CheckedField(checking: name, value)) }
    return checked
  }

  /// Whether a byte is allowed in a token (RFC 9110 §5.6.2).
  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
