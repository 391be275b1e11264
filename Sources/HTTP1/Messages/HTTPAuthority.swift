package import Bytes

/// The host and port that a request is for: the value of `Host`, or the authority of an absolute
/// target (RFC 3986 §3.2, without user information).
package struct HTTPAuthority: Sendable, Hashable {
  /// The two kinds of host.
  package enum Host: Sendable, Hashable {
    /// A registered name in lower case, as sent otherwise; empty when the URL has none.
    case name(String)
    case address(IPAddress)
  }

  package let host: Host
  /// `nil` for the usual port of the scheme.
  package let port: UInt16?

  package init(host: Host, port: UInt16? = nil) {
    self.host = host
    self.port = port
  }

  /// Parses `host`, `host:port`, `[address]` or `[address]:port`.
  ///
  /// - Returns: `nil` for anything else, and for a port beyond 65535. Addresses of a later version
  ///   than 6 and zones are not accepted: no such address can be connected to.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    if bytes.first == UInt8(ascii: "[") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")),
        let address = IPAddress.v6(from: bytes[1..<end]),
        let port = Self.port(of: bytes[(end + 1)...])
      else { return nil }
      self.init(host: .address(.v6(address)), port: port.number)
    } else {
      let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
      guard Self.isName(bytes[..<end]), let port = Self.port(of: bytes[end...]) else { return nil }
      let name = bytes[..<end]
      let host =
        IPAddress.v4(fromDotted: name).map { Host.address(.v4($0)) }
        ?? .name(String(decoding: name, as: UTF8.self).lowercased())
      self.init(host: host, port: port.number)
    }
  }

  /// Whether the host means this machine: `localhost`, a name below it, or a loopback address.
  package var isLoopback: Bool {
    switch host {
    case .name(let name):
      let bare = name.hasSuffix(".") ? String(name.dropLast()) : name
      return bare == "localhost" || bare.hasSuffix(".localhost")
    case .address(let address): return address.isLoopback
    }
  }

  /// Whether no host is named.
  package var isEmpty: Bool { host == .name("") }

  private enum Port {
    case usual
    case number(UInt16)

    var number: UInt16? {
      switch self {
      case .usual: nil
      case .number(let number): number
      }
    }
  }

  /// Reads what follows the host: nothing, or a colon with or without a number (RFC 3986 §3.2.3).
  private static func port(of text: ArraySlice<UInt8>) -> Port? {
    guard let colon = text.first else { return .usual }
    let digits = text.dropFirst()
    guard colon == UInt8(ascii: ":"), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    guard !digits.isEmpty else { return .usual }
    return UInt16(String(decoding: digits, as: UTF8.self)).map(Port.number)
  }

  /// Whether these are unreserved characters, sub-delimiters and percent-encoded bytes (§3.2.2).
  private static func isName(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard rest.count >= 2, rest.prefix(2).allSatisfy(isHexDigit) else { return false }
        rest.removeFirst(2)
      } else if !HTTPSyntax.isNameByte(byte) {
        return false
      }
    }
    return true
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
  }
}
