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
    let serverBits = min(offer.serverMaxWindowBits ?? 15, serverWindowBits)
    guard serverBits >= 9 else { return nil }
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

  /// The element of `Sec-WebSocket-Extensions` that tells the client what was agreed (§7.1).
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
