import Crypto

extension WriteTransaction {
  /// Keeps the hash of a new ticket until it is redeemed or its time is over.
  ///
  /// - Throws: `StoreError.tooManyItems` when the API token has 100.
  func addTicket(
    _ hash: [UInt8], ofAPIToken token: [UInt8], expiresAt: Int64, at now: Int64
  ) throws {
    try connection.execute("DELETE FROM tickets WHERE expires_at <= ?", [now])
    let count = try connection.first(
      "SELECT count(*) FROM tickets WHERE token_hash = ?", [token]
    ) { $0.integer(0) }
    guard count ?? 0 < Int64(ticketLimit) else {
      throw StoreError.tooManyItems(limit: ticketLimit)
    }
    try connection.execute(
      "INSERT INTO tickets (ticket_hash, token_hash, expires_at) VALUES (?, ?, ?)",
      [hash, token, expiresAt])
  }

  /// Takes a ticket, which nobody can redeem after that.
  ///
  /// - Returns: The hash of the API token that it was issued with; `nil` when there is no such
  ///   ticket, or its time is over.
  func takeTicket(_ hash: [UInt8], at now: Int64) throws -> [UInt8]? {
    let token = try connection.first(
      "SELECT token_hash FROM tickets WHERE ticket_hash = ? AND expires_at > ?", [hash, now]
    ) { $0.bytes(0) }
    guard token != nil else { return nil }
    // Of two servers that read it at once, one removes it.
    let count = try connection.change("DELETE FROM tickets WHERE ticket_hash = ?", [hash])
    return count > 0 ? token : nil
  }
}

/// Most tickets of one token of the Platform API that are not redeemed.
let ticketLimit = 100

/// Keeps the hash of a new ticket.
///
/// Error: `tooManyItems`.
package struct TicketIssue: StoreWrite {
  package var hash: [UInt8]
  /// The hash of the API token of the call.
  package var token: [UInt8]
  /// Unix milliseconds.
  package var expiresAt: Int64
  package var time: Int64

  package init(hash: [UInt8], token: [UInt8], expiresAt: Int64, at time: Int64) {
    self.hash = hash
    self.token = token
    self.expiresAt = expiresAt
    self.time = time
  }

  package var statements: WriteStatements<Void> {
    .init { try $0.addTicket(hash, ofAPIToken: token, expiresAt: expiresAt, at: time) }
  }
}

/// Redeems a ticket: returns the hash of its API token, the first time and until its time is over.
package struct TicketRedemption: StoreWrite {
  package var hash: [UInt8]
  /// Unix milliseconds.
  package var time: Int64

  package init(hash: [UInt8], at time: Int64) {
    self.hash = hash
    self.time = time
  }

  package var statements: WriteStatements<[UInt8]?> {
    .init { try $0.takeTicket(hash, at: time) }
  }
}
