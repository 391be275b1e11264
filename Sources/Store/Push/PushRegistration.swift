package import ParleyProtocol
package import Push

/// Registers a device of a user; a token belongs to the last user who registered it.
///
/// Which of the user's other tokens are removed is stated by `registering(_:at:)` of `[PushToken]`.
/// Error: `noUser`.
package struct PushRegistration: StoreWrite {
  package var call: PushRegister
  package var userID: String
  /// Unix milliseconds.
  package var time: Int64

  package init(_ call: PushRegister, of userID: String, at now: Int64) {
    self.call = call
    self.userID = userID
    time = now
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Void> {
    .init { try $0.register(call, of: userID, at: time) }
  }
}

/// Removes devices of a user.
///
/// Outcome: those removed, oldest first; none when the user or the token does not exist.
package struct PushRemoval: StoreWrite {
  package var call: PushUnregister
  package var userID: String

  package init(_ call: PushUnregister, of userID: String) {
    self.call = call
    self.userID = userID
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<[PushToken]> {
    .init { transaction in
      let tokens = try transaction.pushTokens(of: userID)
      let removed = tokens.map(\.token).removed(by: call)
      try transaction.removePushTokens(tokens.ids(of: removed))
      return removed
    }
  }
}

/// Removes a device of any user.
///
/// Outcome: the ids of the users who had registered it, at most one.
package struct PushTokenRemoval: StoreWrite {
  package var type: PushTokenType
  /// A token, or the endpoint of a browser.
  package var name: String

  package init(type: PushTokenType, name: String) {
    self.type = type
    self.name = name
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<[String]> {
    .init { transaction in
      try transaction.connection.all(
        "DELETE FROM push_tokens WHERE name_key = ? RETURNING user_id", [type.key(ofName: name)]
      ) { $0[0] }
    }
  }
}

extension WriteTransaction {
  fileprivate func register(_ call: PushRegister, of userID: String, at now: Int64) throws {
    // Two devices of the user may register at once, at two servers.
    let isThere = try connection.first(
      "SELECT 1 FROM users WHERE user_id = ? \(.forUpdate)", [userID]
    ) { _ in true }
    guard isThere == true else { throw StoreError.noUser(userID) }
    let tokens = try pushTokens(of: userID)
    let (_, removed) = tokens.map(\.token).registering(call, at: now)
    try removePushTokens(tokens.ids(of: removed))
    let (name, keys) = (call.address.name, call.address.storedKeys)
    try connection.execute(
      Self.registration,
      [
        userID, call.type.stored, name, call.type.key(ofName: name), keys?.publicKey, keys?.secret,
        call.deviceID, now,
      ])
  }

  /// The success of pushes to another user says nothing about those to this one.
  private static let registration: StoreStatement = """
    INSERT INTO push_tokens
      (user_id, type, name, name_key, public_key, secret, device_id, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (name_key) DO UPDATE SET user_id = excluded.user_id,
      public_key = excluded.public_key, secret = excluded.secret, device_id = excluded.device_id,
      created_at = excluded.created_at,
      last_success_at = CASE WHEN push_tokens.user_id = excluded.user_id
        THEN push_tokens.last_success_at ELSE 0 END
    """

  func removePushTokens(_ ids: [Int64]) throws {
    guard !ids.isEmpty else { return }
    try connection.execute(
      "DELETE FROM push_tokens WHERE token_id \(.isAnyOf)", [StoreValue.integers(ids)])
  }
}

extension [StoredPushToken] {
  /// The numbers of some of the tokens.
  fileprivate func ids(of tokens: [PushToken]) -> [Int64] {
    filter { stored in tokens.contains { $0.isSame(as: stored.token) } }.map(\.id)
  }
}
