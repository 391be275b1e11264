/// How far the index of search has come.
///
/// The messages from `low` to `top` are in it, those that have come since `top` as far as they were found, and
/// no older ones. A message can become visible after others with higher ids, so `top` follows at a distance
/// beyond which that does not happen.
struct SearchProgress: Hashable {
  /// The end of the ids that need not be looked at again.
  var top: Int64
  /// The highest id in the index.
  var seen: Int64
  /// The lowest id that was reached; 0 when no older messages are left.
  var low: Int64

  /// Whether older messages are missing.
  var isBuilding: Bool { low > 0 }
}

extension StoreTransaction {
  /// The progress of the index; `nil` before its first step, or for one of another version.
  func searchProgress(_ lock: StoreStatement = "") throws -> SearchProgress? {
    try connection.first(
      "SELECT top, seen, low FROM search_progress WHERE version = ? \(lock)",
      [IndexedMessage.version]
    ) { SearchProgress(top: $0[0], seen: $0[1], low: $0[2]) }
  }
}

extension WriteTransaction {
  /// Locks the progress of the index, which is begun if there is none.
  ///
  /// - Returns: `nil` while another server has locked it.
  func lockSearchProgress() throws -> SearchProgress? {
    if let progress = try searchProgress(.skippingLocked) { return progress }
    // Another version, another server's lock, or none.
    guard try searchProgress() == nil else { return nil }
    try restartIndex()
    return try searchProgress(.skippingLocked)
  }

  func store(_ progress: SearchProgress) throws {
    try connection.execute(
      "UPDATE search_progress SET top = ?, seen = ?, low = ?",
      [progress.top, progress.seen, progress.low])
  }

  /// Empties the index, so that it is built again, from the newest message on.
  func restartIndex() throws {
    try connection.execute(
      StoreStatement(
        sqlite: "INSERT INTO search (search) VALUES ('delete-all')",
        postgreSQL: "TRUNCATE search_documents"))
    if !connection.session.hasTokenDocuments {
      try connection.execute("DELETE FROM search_messages")
    }
    let last = try maximumMessageID()
    try connection.execute(
      """
      INSERT INTO search_progress (id, version, top, seen, low) VALUES (1, ?1, ?2, ?2, ?3)
      ON CONFLICT (id) DO UPDATE SET version = excluded.version, top = excluded.top,
        seen = excluded.seen, low = excluded.low
      """, [IndexedMessage.version, last, last + 1])
  }
}
