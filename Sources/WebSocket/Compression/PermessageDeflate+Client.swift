extension PermessageDeflate {
  /// The parameters of a client's offer.
  package struct Offer: Sendable, Hashable {
    /// Whether the client, and the server, keep contexts.
    package var contexts: Contexts
    /// The largest window that the server is asked to use, 9...15.
    package var serverWindowBits: UInt8

    /// Makes an offer; window bits outside 9...15 are moved to the nearest of these.
    package init(contexts: Contexts = .kept, serverWindowBits: UInt8 = 15) {
      self.contexts = contexts
      self.serverWindowBits = min(max(serverWindowBits, 9), 15)
    }

    /// The element of `Sec-WebSocket-Extensions` that makes the offer (RFC 7692 §7.1).
    package var text: String {
      var parts = [PermessageDeflate.name]
      if contexts == .notKept {
        parts += ["server_no_context_takeover", "client_no_context_takeover"]
      }
      if serverWindowBits < 15 { parts.append("server_max_window_bits=\(serverWindowBits)") }
      parts.append("client_max_window_bits")
      return parts.joined(separator: "; ")
    }

    /// Reads the server's response, or returns `nil` when it does not answer this offer.
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
