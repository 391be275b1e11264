import Crypto

/// A token that lets a program call the Platform API.
package struct APIToken: Sendable, Hashable {
  /// A human-readable name, unique among tokens.
  package var name: String
  /// The hash of the token; the token itself is not stored.
  package var hash: [UInt8]
  package var role: APITokenRole
  /// Unix milliseconds.
  package var createdAt: Int64
  /// Unix milliseconds, accurate to a minute; 0 when it was never used.
  package var lastUsedAt: Int64
  /// Unix milliseconds, the first moment at which calls are refused; `nil` when it does not expire.
  package var expiresAt: Int64?

  package init(
    name: String, hash: [UInt8], role: APITokenRole = .admin, createdAt: Int64,
    lastUsedAt: Int64 = 0, expiresAt: Int64? = nil
  ) {
    self.name = name
    self.hash = hash
    self.role = role
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
    self.expiresAt = expiresAt
  }

  /// The id of the token for listing and revoking: 16 hexadecimal digits.
  ///
  /// The beginning of a hash of the hash, which reveals nothing about the token.
  package var id: String { String(TokenDigest(of: hash).hex.prefix(16)) }

  static let columns = "name, token_hash, created_at, last_used_at, role, expires_at"

  /// From `columns`.
  init(row: StoreRow) {
    self.init(
      name: row[0], hash: row[1], role: APITokenRole(stored: row.text(4)), createdAt: row[2],
      lastUsedAt: row[3], expiresAt: row.integer(5) == 0 ? nil : row.integer(5))
  }
}

extension StoreTransaction {
  /// All tokens of the Platform API, by name.
  func apiTokens() throws -> [APIToken] {
    try connection.all(
      "SELECT \(APIToken.columns) FROM api_tokens WHERE name >= '' ORDER BY name", [],
      APIToken.init(row:))
  }
}

extension WriteTransaction {
  /// Stores the hash of a new token.
  ///
  /// - Throws: `StoreError.exists` when a token has this name or hash, `.tooManyItems` when there are
  ///   100.
  func addAPIToken(_ token: APIToken) throws {
    guard try apiTokens().count < apiTokenLimit else {
      throw StoreError.tooManyItems(limit: apiTokenLimit)
    }
    let count = try connection.change(
      """
      INSERT INTO api_tokens (name, token_hash, created_at, role, expires_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """,
      [token.name, token.hash, token.createdAt, token.role.rawValue, token.expiresAt ?? 0])
    guard count > 0 else { throw StoreError.exists }
  }

  /// Revokes a token.
  ///
  /// - Throws: `StoreError.notFound(.token)`.
  func revokeAPIToken(hash: [UInt8]) throws {
    let count = try connection.change(
      "DELETE FROM api_tokens WHERE token_hash = ?", [hash])
    guard count > 0 else { throw StoreError.notFound(.token) }
  }

  /// Records that a token was used; as with `noteSeen`, at most once a minute.
  func noteAPITokenUsed(hash: [UInt8], at now: Int64) throws {
    try connection.execute(
      "UPDATE api_tokens SET last_used_at = ?2 WHERE token_hash = ?1 AND last_used_at <= ?2 - ?3",
      [hash, now, seenIntervalMilliseconds])
  }
}

/// Maximum number of tokens of the Platform API.
let apiTokenLimit = 100

/// Reads all tokens of the Platform API, by name.
package struct APITokenList: StoreLookup {
  package init() {}

  package var statements: ReadStatements<[APIToken]> { .init { try $0.apiTokens() } }
}

/// Stores the hash of a new token of the Platform API.
///
/// Errors: `exists` for a name or hash that is taken, `tooManyItems`.
package struct APITokenIssue: StoreWrite {
  package var token: APIToken

  package init(_ token: APIToken) { self.token = token }

  package var statements: WriteStatements<Void> {
    .init {
      try $0.addAPIToken(token)
      try $0.announce(.apiTokens)
    }
  }
}

/// Revokes a token of the Platform API.
///
/// Error: `notFound(.token)`.
package struct APITokenRevocation: StoreWrite {
  package var hash: [UInt8]

  package init(hash: [UInt8]) { self.hash = hash }

  package var statements: WriteStatements<Void> {
    .init {
      try $0.revokeAPIToken(hash: hash)
      try $0.announce(.apiTokens)
    }
  }
}

/// Records that a token of the Platform API was used; at most one time a minute is stored.
package struct APITokenUse: StoreWrite {
  package var hash: [UInt8]
  /// Unix milliseconds.
  package var time: Int64

  package init(hash: [UInt8], at time: Int64) {
    self.hash = hash
    self.time = time
  }

  package var statements: WriteStatements<Void> {
    .init { try $0.noteAPITokenUsed(hash: hash, at: time) }
  }
}
