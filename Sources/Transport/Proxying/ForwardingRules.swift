package import Basics
package import HTTP

/// The header field that carries the client's address, and the proxies trusted to set it.
package struct ForwardingRules: Sendable {
  /// The header fields in which proxies forward clients' addresses.
  package enum Field: Sendable {
    /// `Forwarded` (RFC 7239).
    case forwarded
    /// `X-Forwarded-For`: addresses, separated by commas.
    case xForwardedFor
  }

  /// The maximum number of consecutive proxies that are followed.
  private static let maximumHops = 32

  package let field: Field
  package let trusted: [Network]

  package init(field: Field, trusted: [Network]) {
    self.field = field
    self.trusted = trusted
  }

  /// Returns the client of a request that a peer has sent.
  ///
  /// Each proxy appends the address from which it received the request. So the list is read backwards
  /// while the sender of an entry is trusted; earlier entries may be forged.
  ///
  /// - Returns: `nil` when the peer is not trusted or names no client: the peer itself is the client.
  package func client(of fields: HTTPFields, from peer: PeerAddress) -> PeerAddress? {
    var client: PeerAddress?
    for hop in hops(fields) {
      guard trusted.contains(client ?? peer), let address = hop else { break }
      client = address
    }
    return client
  }

  /// Returns the hosts and schemes under which the proxies were reached; none when the peer is not
  /// trusted.
  func sites(of fields: HTTPFields, from peer: PeerAddress) -> ForwardedSites {
    guard trusted.contains(peer) else { return ForwardedSites() }
    let comma = UInt8(ascii: ",")
    var sites = ForwardedSites()
    switch field {
    case .xForwardedFor:
      sites.hosts = pieces(of: fields, "X-Forwarded-Host", at: comma, .none)
      sites.scheme = scheme(pieces(of: fields, "X-Forwarded-Proto", at: comma, .none))
    case .forwarded:
      let elements = pieces(of: fields, "Forwarded", at: comma, .strings)
      sites.hosts = elements.compactMap { ForwardedNode.parameter("host", of: $0) }
      sites.scheme = scheme(elements.compactMap { ForwardedNode.parameter("proto", of: $0) })
    }
    return sites
  }

  /// The scheme of the client's request: that reported by the farthest proxy that names one.
  ///
  /// Proxies may report a WebSocket's scheme instead of that of its handshake.
  private func scheme(_ names: [String]) -> String? {
    names.reversed().lazy.compactMap { name in
      switch name.lowercased() {
      case "http", "ws": "http"
      case "https", "wss": "https"
      default: nil
      }
    }.first
  }

  /// The elements of a list field, the nearest proxy's first.
  private func pieces(
    of fields: HTTPFields, _ name: String, at separator: UInt8, _ quoting: ForwardedText.Quoting
  ) -> [String] {
    let all = fields.values(of: name).reversed()
      .flatMap { ForwardedText.pieces(of: $0, at: separator, quoting) }
    return Array(all.prefix(Self.maximumHops))
  }

  /// The client that each proxy reported, the nearest first; `nil` for one that is unknown or hidden.
  private func hops(_ fields: HTTPFields) -> [PeerAddress?] {
    let comma = UInt8(ascii: ",")
    return switch field {
    case .xForwardedFor:
      pieces(of: fields, "X-Forwarded-For", at: comma, .none).map { ForwardedNode.read($0) }
    case .forwarded:
      pieces(of: fields, "Forwarded", at: comma, .strings).map { ForwardedNode.read(element: $0) }
    }
  }
}

/// The hosts and the scheme by which clients reach the trusted proxies that a request came through.
package struct ForwardedSites: Sendable, Hashable {
  /// The hosts in the form of `Host`.
  package var hosts: [String] = []
  /// `http` or `https`: the scheme of the request to the farthest proxy that names it.
  package var scheme: String?

  package init() {}
}

/// The name that a proxy gives a client (RFC 7239 §6).
enum ForwardedNode {
  /// Reads the parameter `for` of an element of `Forwarded`.
  ///
  /// - Returns: `nil` when there is none, more than one, or none that is an address.
  static func read(element: String) -> PeerAddress? {
    parameter("for", of: element).flatMap { read($0) }
  }

  /// Reads a parameter of an element of `Forwarded`; `nil` when there is none, or more than one.
  static func parameter(_ name: String, of element: String) -> String? {
    var values: [String] = []
    for pair in ForwardedText.pieces(of: element, at: UInt8(ascii: ";"), .strings) {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, parts[0].lowercased() == name else { continue }
      values.append(parts[1])
    }
    guard values.count == 1, let value = values.first else { return nil }
    return unquoted(value)
  }

  /// Reads an address: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]`,
  /// `[2001:db8::1]:80`.
  ///
  /// - Returns: `nil` for `unknown`, an obfuscated name, and everything else.
  static func read(_ name: String) -> PeerAddress? {
    if let address = PeerAddress(host: name) { return address }
    if name.hasPrefix("["), let end = name.firstIndex(of: "]") {
      let host = String(name[name.index(after: name.startIndex)..<end])
      guard host.contains(":") else { return nil }
      return read(host, portPart: name[name.index(after: end)...])
    }
    guard let colon = name.firstIndex(of: ":") else { return nil }
    return read(String(name[..<colon]), portPart: name[colon...])
  }

  private static func read(_ host: String, portPart: Substring) -> PeerAddress? {
    guard !portPart.isEmpty else { return PeerAddress(host: host) }
    // A port may be replaced by an obfuscated name (RFC 7239 §6.3); the address is still valid.
    guard portPart.hasPrefix(":") else { return nil }
    return PeerAddress(host: host, port: UInt16(portPart.dropFirst()) ?? 0)
  }

  /// An address never needs a backslash, so escapes are not decoded.
  private static func unquoted(_ text: String) -> String {
    guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
    return String(text.dropFirst().dropLast())
  }
}

/// Splits text to which each proxy appends its part.
///
/// The text is split from its end. The writer of the last part is known. The first part may be a
/// client's, and its content, such as an opening quote, must not change how the last part is read.
enum ForwardedText {
  /// Whether separators inside quotes count.
  enum Quoting: Sendable {
    /// A quote is an ordinary character.
    case none
    /// Separators inside quoted strings do not count (RFC 9110 §5.6.4).
    case strings
  }

  /// The pieces between separators, the last one first, without surrounding whitespace.
  ///
  /// Empty pieces are left out.
  ///
  /// - Complexity: O(*n*) in the text's length.
  static func pieces(of text: String, at separator: UInt8, _ quoting: Quoting) -> [String] {
    var pieces: [String] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let cut = lastSeparator(separator, in: rest, quoting)
      let piece = HTTPSyntax.trimmed(rest[(cut.map { $0 + 1 } ?? rest.startIndex)...])
      if !piece.isEmpty { pieces.append(String(decoding: piece, as: UTF8.self)) }
      rest = rest[..<(cut ?? rest.startIndex)]
    }
    return pieces
  }

  private static func lastSeparator(
    _ separator: UInt8, in text: ArraySlice<UInt8>, _ quoting: Quoting
  ) -> Int? {
    var isQuoted = false
    for index in text.indices.reversed() {
      switch text[index] {
      case separator where !isQuoted: return index
      case UInt8(ascii: "\"") where quoting == .strings:
        // When reading backwards, only a quote inside a string can be an escaped one.
        if !isQuoted || !isEscaped(index, in: text) { isQuoted.toggle() }
      default: break
      }
    }
    return nil
  }

  /// Whether an odd number of backslashes precedes the character.
  private static func isEscaped(_ index: Int, in text: ArraySlice<UInt8>) -> Bool {
    let before = text[..<index].reversed()
    return before.prefix { $0 == UInt8(ascii: "\\") }.count % 2 == 1
  }
}
