/// A host and a port as they are written in a URL's authority or a listener's address, split but
/// not yet judged (RFC 3986 §3.2).
///
///     example.org:443     [2001:db8::1]:443     example.org
package struct HostAndPort: Sendable {
  /// The host as written, an address in brackets with its brackets.
  package let host: ArraySlice<UInt8>
  /// The text after the colon behind the host; `nil` without a colon.
  package let port: ArraySlice<UInt8>?

  /// Splits at the colon behind the bracket, or at the last colon of a text without brackets.
  ///
  /// - Returns: `nil` when something other than a colon follows the bracket.
  package init?(splitting text: ArraySlice<UInt8>) {
    let colon = UInt8(ascii: ":")
    if let bracket = text.lastIndex(of: UInt8(ascii: "]")) {
      let rest = text[(bracket + 1)...]
      guard rest.isEmpty || rest.first == colon else { return nil }
      host = text[...bracket]
      port = rest.isEmpty ? nil : rest.dropFirst()
    } else if let end = text.lastIndex(of: colon) {
      host = text[..<end]
      port = text[(end + 1)...]
    } else {
      host = text
      port = nil
    }
  }

  /// The number of a port that was written; `nil` for anything but decimal digits up to 65535.
  package static func number(of port: ArraySlice<UInt8>) -> UInt16? {
    UInt16(decimal: String(decoding: port, as: UTF8.self))
  }

  /// The address in a host of brackets; `nil` for any other host.
  package static func bracketedAddress(_ host: ArraySlice<UInt8>) -> IPAddress? {
    guard host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]"), host.count > 2 else {
      return nil
    }
    return IPAddress.v6(from: host.dropFirst().dropLast()).map(IPAddress.v6)
  }
}
