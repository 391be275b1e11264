/// A host and a port to listen on or to connect to: `127.0.0.1:8080`, `[::1]:8080`,
/// `localhost:8080`.
package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
  package let host: Host
  /// The port; a listener with 0 asks the kernel for a free one.
  package let port: UInt16

  package init(host: Host, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads `host:port`, an IPv6 address in brackets; `nil` when the text is not that.
  package init?(_ text: String) {
    guard let parts = HostAndPort(splitting: Array(text.utf8)[...]),
      let port = parts.port.flatMap(HostAndPort.number), let host = Self.host(parts.host)
    else { return nil }
    self.init(host: host, port: port)
  }

  /// Whether only processes of this machine can connect to it.
  package var isLoopback: Bool { host.isLoopback }

  package var description: String { "\(host.text):\(port)" }

  private static func host(_ text: ArraySlice<UInt8>) -> Host? {
    if text.first == UInt8(ascii: "[") {
      return HostAndPort.bracketedAddress(text).map(Host.address)
    }
    if let address = IPAddress.v4(fromDotted: text) { return .address(.v4(address)) }
    guard isName(text) else { return nil }
    return .name(String(decoding: text, as: UTF8.self).lowercased())
  }

  /// Whether this can be a host name: letters, digits, hyphens and dots, not digits and dots alone.
  private static func isName(_ text: ArraySlice<UInt8>) -> Bool {
    guard (1...253).contains(text.count) else { return false }
    let labels = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return labels.allSatisfy(isLabel) && text.contains { isLetter($0) || $0 == UInt8(ascii: "-") }
  }

  private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
      && label.allSatisfy { isLetter($0) || $0 &- 0x30 < 10 || $0 == hyphen }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
}
