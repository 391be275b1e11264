extension PermessageDeflate.Policy {
  /// Chooses the first acceptable of a client's offers.
  ///
  /// - Returns: `nil` when none is acceptable; the connection then goes without compression.
  func choose(from offers: [ExtensionOffer]) -> (PermessageDeflate.Agreement, response: String)? {
    for offer in offers where offer.name == PermessageDeflate.name {
      guard let parameters = PermessageDeflate.Parameters(offer.parameters),
        let agreement = agree(to: parameters)
      else { continue }
      return (agreement, response(agreement, to: parameters))
    }
    return nil
  }

  /// Declines a server window of 256 bytes, which zlib cannot make.
  private func agree(to offer: PermessageDeflate.Parameters) -> PermessageDeflate.Agreement? {
    guard let serverBits = windowBits(atMost: offer.serverMaxWindowBits ?? 15) else { return nil }
    let clientBits: UInt8 =
      switch offer.clientMaxWindowBits {
      case .notMentioned: 15
      case .open: clientWindowBits
      case .bits(let bits): min(bits, clientWindowBits)
      }
    return PermessageDeflate.Agreement(
      serverNoContextTakeover: offer.serverNoContextTakeover || contexts != .kept,
      clientNoContextTakeover: offer.clientNoContextTakeover || contexts == .notKept,
      serverMaxWindowBits: serverBits, clientMaxWindowBits: clientBits)
  }

  /// The server's window for a client that takes one up to this size.
  ///
  /// Frames for many clients come in two windows only, the policy's and the smallest: each further
  /// one would compress every event once more (RFC 7692 §7.1.2.1 allows a smaller one than asked
  /// for).
  private func windowBits(atMost offered: UInt8) -> UInt8? {
    if offered >= serverWindowBits { return serverWindowBits }
    guard offered >= Self.smallestWindowBits else { return nil }
    return contexts == .kept ? offered : Self.smallestWindowBits
  }

  /// The element of `Sec-WebSocket-Extensions` with the agreed parameters (§7.1).
  private func response(
    _ agreement: PermessageDeflate.Agreement, to offer: PermessageDeflate.Parameters
  ) -> String {
    var parts = [PermessageDeflate.name]
    if agreement.serverNoContextTakeover { parts.append("server_no_context_takeover") }
    if agreement.clientNoContextTakeover { parts.append("client_no_context_takeover") }
    if agreement.serverMaxWindowBits < 15 || offer.serverMaxWindowBits != nil {
      parts.append("server_max_window_bits=\(agreement.serverMaxWindowBits)")
    }
    // Only a client that mentioned it understands this one (§7.1.2.2).
    if agreement.clientMaxWindowBits < 15, offer.clientMaxWindowBits != .notMentioned {
      parts.append("client_max_window_bits=\(agreement.clientMaxWindowBits)")
    }
    return parts.joined(separator: "; ")
  }
}
