package import Basics

/// The host and port that a request is for: the value of `Host`, or the authority of an absolute
/// target (RFC 3986 §3.2, without user information).
package struct HTTPAuthority: Sendable, Hashable {
  /// A registered name, converted to lower case and empty when the URL has none; or an address.
  package let host: Host
  /// `nil` for the default port of the scheme.
  package let port: UInt16?

  package init(host: Host, port: UInt16? = nil) {
    self.host = host
    self.port = port
  }

  /// Parses `host`, `host:port`, `[address]` or `[address]:port`.
  ///
  /// - Returns: `nil` for anything else, and for a port above 65535. Addresses of versions later than 6
  ///   and zones are not accepted, because no such address can be connected to.
  package init?(_ text: String) {
    guard let parts = HostAndPort(splitting: Array(text.utf8)[...]),
      let host = Self.host(parts.host)
    else { return nil }
    self.host = host
    // A colon without a number also means the default port (RFC 3986 §3.2.3).
    guard let digits = parts.port, !digits.isEmpty else {
      port = nil
      return
    }
    guard let number = HostAndPort.number(of: digits) else { return nil }
    port = number
  }

  /// Whether the host is this machine: `localhost`, a name below it, or a loopback address.
  package var isLoopback: Bool { host.isLoopback }

  /// Whether the host is empty.
  package var isEmpty: Bool { host == .name("") }

  private static func host(_ text: ArraySlice<UInt8>) -> Host? {
    if text.first == UInt8(ascii: "[") {
      return HostAndPort.bracketedAddress(text).map(Host.address)
    }
    guard isName(text) else { return nil }
    return IPAddress.v4(fromDotted: text).map { .address(.v4($0)) }
      ?? .name(String(decoding: text, as: UTF8.self).lowercased())
  }

  /// Whether all characters are unreserved, sub-delimiters or percent-encoded bytes (§3.2.2).
  private static func isName(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard rest.count >= 2, rest.prefix(2).allSatisfy({ $0.hexDigitValue != nil })
        else { return false }
        rest.removeFirst(2)
      } else if !HTTPSyntax.isNameByte(byte) {
        return false
      }
    }
    return true
  }
}
