package import ParleyProtocol
package import Push

/// Reads the devices of a user, oldest first.
///
/// Error: `noUser`.
package struct PushTokens: StoreLookup {
  package var userID: String

  package init(of userID: String) { self.userID = userID }

  package var statements: ReadStatements<[PushToken]> {
    .init { transaction in
      let tokens = try transaction.pushTokens(of: userID)
      if tokens.isEmpty, try transaction.user(userID) == nil { throw StoreError.noUser(userID) }
      return tokens.map(\.token)
    }
  }
}

/// Finds the users who have registered a device, at most one.
package struct PushTokenOwners: StoreLookup {
  package var type: PushTokenType
  /// A token, or the endpoint of a browser.
  package var name: String

  package init(type: PushTokenType, name: String) {
    self.type = type
    self.name = name
  }

  package var statements: ReadStatements<[String]> {
    .init { transaction in
      try transaction.connection.all(
        "SELECT user_id FROM push_tokens WHERE name_key = ?", [type.key(ofName: name)]
      ) { $0[0] }
    }
  }
}

/// Reads the users who have registered a device, in the order of their ids.
package struct PushTokenHolders: StoreQuery {
  /// The user after whom the page begins; empty for the first page.
  package var userID: String
  package var limit: Int

  package init(after userID: String, limit: Int) {
    self.userID = userID
    self.limit = limit
  }

  package var statements: ReadStatements<[String]> {
    .init { transaction in
      try transaction.connection.all(
        "SELECT DISTINCT user_id FROM push_tokens WHERE user_id > ? ORDER BY user_id LIMIT ?",
        [userID, limit]
      ) { $0[0] }
    }
  }
}

/// Counts the devices of each type; reads all of them.
package struct PushTokenCounts: StoreQuery {
  package init() {}

  package var statements: ReadStatements<[PushTokenType: Int]> {
    .init { transaction in
      let counts = try transaction.connection.all(
        "SELECT type, count(*) FROM push_tokens GROUP BY type", []
      ) { (type: PushTokenType(stored: $0[0]), count: $0[1] as Int) }
      var found: [PushTokenType: Int] = [:]
      for case (let type?, let count) in counts { found[type] = count }
      return found
    }
  }
}

extension StoreTransaction {
  /// The devices of a user, oldest first.
  func pushTokens(of userID: String) throws -> [StoredPushToken] {
    try connection.all(
      """
      SELECT \(StoredPushToken.columns) FROM push_tokens AS t WHERE t.user_id = ?
      ORDER BY t.created_at, t.token_id
      """, [userID]
    ) { try StoredPushToken(row: $0) }.compactMap(\.self)
  }
}
