package import Basics
package import HTTP1

/// The header field that carries the client's address, and the proxies trusted to set it.
package struct ForwardingRules: Sendable {
  /// The header fields in which proxies forward clients' addresses.
  package enum Field: Sendable {
    /// `Forwarded` (RFC 7239).
    case forwarded
    /// `X-Forwarded-For`: addresses, separated by commas.
    case xForwardedFor
  }

  /// More proxies than these in a row are not looked behind.
  private static let maximumHops = 32

  package let field: Field
  package let trusted: [Network]

  package init(field: Field, trusted: [Network]) {
    self.field = field
    self.trusted = trusted
  }

  /// Returns the client of a request that a peer has sent.
  ///
  /// Each proxy appends the address from which it received the request. So the list is read
  /// backwards while the sender of an entry is trusted; entries before that may be forged.
  ///
  /// - Returns: `nil` when the peer is not trusted or names no client: the request is its own.
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
      sites.scheme = pieces(of: fields, "X-Forwarded-Proto", at: comma, .none).first?.lowercased()
    case .forwarded:
      let elements = pieces(of: fields, "Forwarded", at: comma, .strings)
      sites.hosts = elements.compactMap { ForwardedNode.parameter("host", of: $0) }
      sites.scheme =
        elements.lazy.compactMap { ForwardedNode.parameter("proto", of: $0) }.first?.lowercased()
    }
    return sites
  }

  /// The elements of a list field, the nearest proxy's first.
  private func pieces(
    of fields: HTTPFields, _ name: String, at separator: UInt8, _ quoting: ForwardedText.Quoting
  ) -> [String] {
    let all = fields.values(of: name).reversed()
      .flatMap { ForwardedText.pieces(of: $0, at: separator, quoting) }
    return Array(all.prefix(Self.maximumHops))
  }

  /// The client that each proxy named, the nearest first; `nil` for one that is unknown or hidden.
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
