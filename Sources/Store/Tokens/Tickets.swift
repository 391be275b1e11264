import Crypto

extension WriteTransaction {
  /// Stores the hash of a new ticket until it is redeemed or expires.
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

  /// Removes a ticket, which cannot be redeemed after that.
  ///
  /// - Returns: The hash of the API token that it was issued with; `nil` when the ticket does not exist
  ///   or has expired.
  func takeTicket(_ hash: [UInt8], at now: Int64) throws -> [UInt8]? {
    let token = try connection.first(
      "SELECT token_hash FROM tickets WHERE ticket_hash = ? AND expires_at > ?", [hash, now]
    ) { $0.bytes(0) }
    guard token != nil else { return nil }
    // If two servers read it at the same time, one of them removes it.
    let count = try connection.change("DELETE FROM tickets WHERE ticket_hash = ?", [hash])
    return count > 0 ? token : nil
  }
}

/// Maximum number of unredeemed tickets of one token of the Platform API.
let ticketLimit = 100

/// Stores the hash of a new ticket.
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

/// Redeems a ticket once, before it expires, and returns the hash of its API token.
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
