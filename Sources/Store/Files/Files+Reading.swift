import SQLite

extension StoreTransaction {
  /// A file that can be had: its message was sent, and its channel is still there.
  package func file(_ id: String) throws -> FileRecord? {
    guard FileID.isValid(id) else { return nil }
    return try connection.first(
      """
      SELECT file_id, name, type, size FROM files
      WHERE file_id = ? AND EXISTS (SELECT 1 FROM channels WHERE channel_id = files.channel_id)
      """, [id]
    ) { FileRecord(id: $0[0], name: $0[1], type: $0[2], size: $0[3]) }
  }

  /// Those of the ids that are of files which the store keeps.
  func knownFiles(_ ids: [String]) throws -> Set<String> {
    Set(
      try connection.all(
        "SELECT file_id FROM files WHERE file_id IN (SELECT value FROM json_each(?))",
        [StoredJSON.encode(ids)]
      ) { $0[0] as String })
  }
}
