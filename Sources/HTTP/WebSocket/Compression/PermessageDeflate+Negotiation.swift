extension PermessageDeflate {
  /// The parameters of a client's offer.
  package struct Offer: Sendable, Hashable {
    /// Whether the client, and the server, keep contexts.
    package var contexts: Contexts
    /// The largest window that the server is asked to use, 9...15.
    package var serverWindowBits: UInt8

    /// Makes an offer; window bits outside 9...15 are clamped to that range.
    package init(contexts: Contexts = .kept, serverWindowBits: UInt8 = 15) {
      self.contexts = contexts
      self.serverWindowBits = min(max(serverWindowBits, 9), 15)
    }

    /// The offer as an element of `Sec-WebSocket-Extensions` (RFC 7692 §7.1).
    package var text: String {
      var parts = [PermessageDeflate.name]
      if contexts == .notKept {
        parts += ["server_no_context_takeover", "client_no_context_takeover"]
      }
      if serverWindowBits < 15 { parts.append("server_max_window_bits=\(serverWindowBits)") }
      parts.append("client_max_window_bits")
      return parts.joined(separator: "; ")
    }

    /// Reads the server's response, or returns `nil` when it does not match this offer.
    func agreement(from response: ExtensionOffer) -> Agreement? {
      guard response.name == PermessageDeflate.name,
        let parameters = Parameters(response.parameters),
        parameters.serverNoContextTakeover || contexts == .kept,
        parameters.serverMaxWindowBits ?? 15 <= serverWindowBits
      else { return nil }
      let clientBits: UInt8
      switch parameters.clientMaxWindowBits {
      case .notMentioned: clientBits = 15
      case .bits(let bits): clientBits = bits
      case .open: return nil
      }
      return Agreement(
        serverNoContextTakeover: parameters.serverNoContextTakeover,
        clientNoContextTakeover: parameters.clientNoContextTakeover || contexts == .notKept,
        serverMaxWindowBits: parameters.serverMaxWindowBits ?? 15, clientMaxWindowBits: clientBits)
    }
  }
}

extension PermessageDeflate.Policy {
  /// Chooses the first acceptable of a client's offers.
  ///
  /// - Returns: `nil` when none is acceptable; the connection then has no compression.
  func choose(from offers: [ExtensionOffer]) -> (PermessageDeflate.Agreement, response: String)? {
    for offer in offers where offer.name == PermessageDeflate.name {
      guard let parameters = PermessageDeflate.Parameters(offer.parameters),
        let agreement = agree(to: parameters)
      else { continue }
      return (agreement, response(agreement, to: parameters))
    }
    return nil
  }

  /// Declines a server window of 256 bytes, which zlib cannot produce.
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

  /// The server's window for a client that accepts one up to this size.
  ///
  /// Frames for many clients use only two windows, the policy's and the smallest, because each further
  /// one would mean compressing every event once more (RFC 7692 §7.1.2.1 allows a smaller window than
  /// requested).
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
    // Only a client that mentioned this parameter understands it (§7.1.2.2).
    if agreement.clientMaxWindowBits < 15, offer.clientMaxWindowBits != .notMentioned {
      parts.append("client_max_window_bits=\(agreement.clientMaxWindowBits)")
    }
    return parts.joined(separator: "; ")
  }
}
