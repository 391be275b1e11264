/// A host and a port as a setting gives them: `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`.
package struct SocketAddressText: Sendable, Hashable, CustomStringConvertible {
  /// An IPv4 or IPv6 address without brackets, or a host name.
  package let host: String
  /// The port; 0 asks the kernel for a free one.
  package let port: UInt16

  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads `host:port`, an IPv6 address in brackets; `nil` when it is not that.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"),
      let port = UInt16(decimal: text[text.index(after: colon)...])
    else { return nil }
    let written = text[..<colon]
    if written.hasPrefix("["), written.hasSuffix("]") {
      let address = String(written.dropFirst().dropLast())
      guard IPAddressText.family(of: address) == .v6 else { return nil }
      self.init(host: address, port: port)
    } else {
      let host = String(written)
      guard IPAddressText.family(of: host) == .v4 || Self.isName(host) else { return nil }
      self.init(host: host, port: port)
    }
  }

  /// Whether only processes of this machine can connect to it.
  package var isLoopback: Bool {
    switch IPAddressText.family(of: host) {
    case .v4: host.hasPrefix("127.")
    case .v6: IPAddressText.isLoopbackV6(host)
    case nil: host.lowercased() == "localhost"
    }
  }

  package var description: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  /// Whether this can be a host name: letters, digits, hyphens and dots, not digits and dots alone.
  private static func isName(_ text: String) -> Bool {
    guard (1...253).contains(text.utf8.count) else { return false }
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    return labels.allSatisfy(isLabel)
      && text.utf8.contains { !isDigit($0) && $0 != UInt8(ascii: ".") }
  }

  private static func isLabel(_ label: Substring) -> Bool {
    (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
      && label.utf8.allSatisfy { isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "-") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
