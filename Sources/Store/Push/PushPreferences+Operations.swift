package import ParleyProtocol

/// Reads a user's choices about pushes.
///
/// Error: `noUser`.
package struct PushPreferencesLookup: StoreLookup {
  package var userID: String

  package init(of userID: String) { self.userID = userID }

  package var statements: ReadStatements<PushPreferences> {
    .init { try $0.pushPreferences(of: userID) }
  }
}

/// Changes a user's choices about pushes.
///
/// Outcome: the choices after the change. Error: `noUser`.
package struct PushPreferencesUpdate: StoreWrite {
  package var change: PushPreferencesChange
  package var userID: String

  package init(_ change: PushPreferencesChange, of userID: String) {
    self.change = change
    self.userID = userID
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<PushPreferences> {
    .init { transaction in
      let old = try transaction.pushPreferences(of: userID, locking: .forUpdate)
      let new = change.applied(to: old)
      if new != old { try transaction.setPushPreferences(new, of: userID) }
      return new
    }
  }
}

/// Gives a user the default choices about pushes again.
///
/// Outcome: the defaults. Error: `noUser`.
package struct PushPreferencesReset: StoreWrite {
  package var userID: String

  package init(of userID: String) { self.userID = userID }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<PushPreferences> {
    .init { transaction in
      let defaults = PushPreferences()
      try transaction.setPushPreferences(defaults, of: userID)
      return defaults
    }
  }
}

extension StoreTransaction {
  fileprivate func pushPreferences(
    of userID: String, locking clause: StoreStatement = ""
  ) throws -> PushPreferences {
    let found = try connection.first(
      "SELECT push_preferences FROM users WHERE user_id = ? \(clause)", [userID]
    ) { try PushPreferences(column: $0[0]) }
    guard let found else { throw StoreError.noUser(userID) }
    return found
  }
}

extension WriteTransaction {
  fileprivate func setPushPreferences(
    _ preferences: PushPreferences, of userID: String
  ) throws {
    let count = try connection.change(
      "UPDATE users SET push_preferences = ? WHERE user_id = ?", [preferences.column, userID])
    guard count > 0 else { throw StoreError.noUser(userID) }
  }
}

/// Choices as a column: JSON, or `NULL` for the defaults.
extension PushPreferences: StoredValue {
  init(column text: String?) throws {
    guard let text else {
      self.init()
      return
    }
    self = try StoredJSON.decode(PushPreferences.self, from: text)
  }

  fileprivate var column: String? {
    self == PushPreferences() ? nil : StoredJSON.encode(self)
  }

  init(stored node: JSONNode) throws(StoredShapeError) {
    do throws(ResourceError) {
      try self.init(json: node)
    } catch {
      throw StoredShapeError(expected: "an object with the choices of a user about pushes")
    }
  }

  func write(to writer: inout JSONWriter) { encode(into: &writer) }
}
