/// Version 2 of the PROXY protocol: a binary block.
enum ProxyBlock {
  static let signature: [UInt8] = [
    0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
  ]
  private static let fixedSize = 16

  private enum Command: UInt8 {
    case local = 0x20
    case proxy = 0x21
  }

  /// Reads a block of which the last byte has just come; `nil` when more are needed.
  static func read(_ header: [UInt8]) throws(ProxyHeaderError) -> ProxyHeader? {
    guard signature.starts(with: header.prefix(signature.count)) else {
      throw ProxyHeaderError("it begins like no PROXY header")
    }
    guard header.count >= fixedSize else { return nil }
    guard let command = Command(rawValue: header[12]) else {
      throw ProxyHeaderError("a PROXY block has an unknown version or command")
    }
    let length = Int(header[14]) << 8 | Int(header[15])
    guard fixedSize + length <= ProxyHeaderParser.maximumBytes else {
      throw ProxyHeaderError(
        "a PROXY block is longer than \(ProxyHeaderParser.maximumBytes) bytes")
    }
    let family = header[13]
    guard length >= addressSize(of: family) else {
      throw ProxyHeaderError("a PROXY block is too short for its addresses")
    }
    guard header.count == fixedSize + length else { return nil }
    return command == .local ? .itself : client(family, header[fixedSize...])
  }

  /// The two addresses of a family, with their ports; what is not TCP over IP is skipped unread.
  private static func addressSize(of family: UInt8) -> Int {
    switch family {
    case 0x11: 12
    case 0x21: 36
    default: 0
    }
  }

  private static func client(_ family: UInt8, _ block: ArraySlice<UInt8>) -> ProxyHeader {
    let size = family == 0x11 ? 4 : 16
    guard addressSize(of: family) > 0 else { return .itself }
    let port = block.dropFirst(2 * size).prefix(2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
    return PeerAddress(bytes: block.prefix(size), port: port).map { .client($0) } ?? .itself
  }
}
