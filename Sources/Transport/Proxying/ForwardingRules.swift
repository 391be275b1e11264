package import HTTP1

/// Which field of a request tells whom it is from, and whose word is taken for it.
package struct ForwardingRules: Sendable {
  /// The fields that proxies tell clients' addresses by.
  package enum Field: Sendable {
    /// `Forwarded` (RFC 7239).
    case forwarded
    /// `X-Forwarded-For`: addresses, separated by commas.
    case xForwardedFor
  }

  /// More proxies than these in a row are not looked behind.
  private static let maximumHops = 32

  package let field: Field
  package let trusted: [AddressRange]

  package init(field: Field, trusted: [AddressRange]) {
    self.field = field
    self.trusted = trusted
  }

  /// Whom a request is from that a peer has sent.
  ///
  /// Each proxy adds at the end whom it had the request from. So the list is read backwards for as
  /// long as whoever told is trusted; what stands before that may be made up.
  ///
  /// - Returns: `nil` when the peer is not trusted or names nobody: the request is its own.
  package func client(of fields: HTTPFields, from peer: PeerAddress) -> PeerAddress? {
    var client: PeerAddress?
    for hop in hops(fields) {
      guard trusted.contains(client ?? peer), let address = hop else { break }
      client = address
    }
    return client
  }

  /// Whom each proxy named, the nearest first; `nil` for one who is unknown or hides.
  private func hops(_ fields: HTTPFields) -> [PeerAddress?] {
    let comma = UInt8(ascii: ",")
    return switch field {
    case .xForwardedFor:
      fields.values(of: "X-Forwarded-For").reversed()
        .flatMap { ForwardedText.pieces(of: $0, at: comma, .none) }
        .prefix(Self.maximumHops).map { ForwardedNode.read($0) }
    case .forwarded:
      fields.values(of: "Forwarded").reversed()
        .flatMap { ForwardedText.pieces(of: $0, at: comma, .strings) }
        .prefix(Self.maximumHops).map { ForwardedNode.read(element: $0) }
    }
  }
}
