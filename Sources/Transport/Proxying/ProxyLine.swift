/// Version 1 of the PROXY protocol: a line of text.
enum ProxyLine {
  static let start = Array("PROXY ".utf8)
  /// With CR and LF, for `UNKNOWN` with the longest addresses.
  private static let maximumBytes = 107

  /// Reads a line of which the last byte has just come; `nil` when more are needed.
  static func read(_ header: [UInt8]) throws(ProxyHeaderError) -> ProxyHeader? {
    guard header.count > start.count else {
      guard start.starts(with: header) else {
        throw ProxyHeaderError("it begins like no PROXY header")
      }
      return nil
    }
    guard header.last == UInt8(ascii: "\n") else {
      guard header.count < maximumBytes else {
        throw ProxyHeaderError("a PROXY line is longer than \(maximumBytes) bytes")
      }
      return nil
    }
    guard header.dropLast().last == UInt8(ascii: "\r") else {
      throw ProxyHeaderError("a PROXY line ends without a carriage return")
    }
    return try parse(header.dropFirst(start.count).dropLast(2))
  }

  private static func parse(_ line: ArraySlice<UInt8>) throws(ProxyHeaderError) -> ProxyHeader {
    let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    if words.first == "UNKNOWN" { return .itself }
    guard words.count == 5, words[0] == "TCP4" || words[0] == "TCP6" else {
      throw ProxyHeaderError("a PROXY line has no known protocol with two addresses and ports")
    }
    let isV4 = words[0] == "TCP4"
    let source = try address(words[1], port: words[3], isV4: isV4)
    // The server's own address is of no use, but a line with a wrong one is no such line.
    _ = try address(words[2], port: words[4], isV4: isV4)
    return .client(source)
  }

  private static func address(
    _ text: String, port: String, isV4: Bool
  ) throws(ProxyHeaderError) -> PeerAddress {
    guard let number = portNumber(port) else {
      throw ProxyHeaderError("a PROXY line has a wrong port")
    }
    guard text.contains(":") != isV4, let address = PeerAddress(host: text, port: number) else {
      throw ProxyHeaderError("a PROXY line has a wrong address")
    }
    return address
  }

  /// A decimal number of 16 bits without leading zeros.
  private static func portNumber(_ text: String) -> UInt16? {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      text == "0" || !text.hasPrefix("0")
    else { return nil }
    return UInt16(text)
  }
}
