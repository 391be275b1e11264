/// A host and a port to listen on or to connect to: `127.0.0.1:8080`, `[::1]:8080`,
/// `localhost:8080`.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
  package let host: Host
  /// The port; 0 makes the kernel choose a free one for a listener.
  package let port: UInt16

  package init(host: Host, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Parses `host:port`, with an IPv6 address in brackets; `nil` for any other text.
  package init?(_ text: String) {
    guard let parts = HostAndPort(splitting: Array(text.utf8)[...]),
      let port = parts.port.flatMap(HostAndPort.number), let host = Self.host(parts.host)
    else { return nil }
    self.init(host: host, port: port)
  }

  /// Whether only processes of this machine can connect to the endpoint.
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

  /// Whether a text can be a host name: letters, digits, hyphens, dots, not only digits and dots.
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

/// A host and a port as written in a URL's authority or a listener's address, split but not yet
/// validated (RFC 3986 §3.2).
///
///     example.org:443     [2001:db8::1]:443     example.org
package struct HostAndPort: Sendable {
  /// The host as written; an address in brackets includes the brackets.
  package let host: ArraySlice<UInt8>
  /// The text after the colon that follows the host; `nil` without a colon.
  package let port: ArraySlice<UInt8>?

  /// Splits at the colon after the bracket, or at the last colon of a text without brackets.
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

  /// The number of a written port; `nil` for anything but decimal digits up to 65535.
  package static func number(of port: ArraySlice<UInt8>) -> UInt16? {
    UInt16(decimal: String(decoding: port, as: UTF8.self))
  }

  /// Whether a host is an IPv6 address in brackets.
  package static func isBracketedAddress(_ host: ArraySlice<UInt8>) -> Bool {
    unbracketed(host).flatMap(AddressText.v6) != nil
  }

  /// The address in a bracketed host; `nil` for any other host.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  package static func bracketedAddress(_ host: ArraySlice<UInt8>) -> IPAddress? {
    unbracketed(host).flatMap(IPAddress.v6).map(IPAddress.v6)
  }

  private static func unbracketed(_ host: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]"), host.count > 2 else {
      return nil
    }
    return host.dropFirst().dropLast()
  }
}

/// The host of a URL, a request or a listener: a name or an address.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package enum Host: Sendable, Hashable {
  /// A name in lower case.
  case name(String)
  /// An address, regardless of its notation.
  case address(IPAddress)

  /// The host as written in a URL, with an IPv6 address in brackets.
  package var text: String {
    switch self {
    case .name(let name): name
    case .address(let address):
      switch address {
      case .v4: address.description
      case .v6: "[\(address)]"
      }
    }
  }

  /// Whether the host is this machine: `localhost`, a name below it, or a loopback address.
  package var isLoopback: Bool {
    switch self {
    case .name(let name):
      let bare = name.hasSuffix(".") ? String(name.dropLast()) : name
      return bare == "localhost" || bare.hasSuffix(".localhost")
    case .address(let address): return address.isLoopback
    }
  }
}
