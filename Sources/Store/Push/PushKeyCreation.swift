/// Stores the key pair that identifies this deployment to the push services of browsers, unless there is one.
///
/// Outcome: the stored key pair, the same for all servers of a database.
package struct PushKeyCreation: StoreWrite {
  /// The key pair in PEM.
  package var pem: String

  package init(pem: String) { self.pem = pem }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<String> {
    .init { transaction in
      let connection = transaction.connection
      try connection.execute(
        "INSERT INTO push_keys (key_id, pem) VALUES (1, ?) ON CONFLICT (key_id) DO NOTHING", [pem])
      let stored: String? = try connection.first("SELECT pem FROM push_keys", []) { $0[0] }
      guard let stored else {
        throw StoreError.damaged(path: "the table push_keys", reason: "a key pair is missing")
      }
      return stored
    }
  }
}
