import SQLite

extension WriteTransaction {
  /// Notes a file that is safe on disk as that of a message, in the message's own transaction.
  package func keepFile(
    _ file: FileRecord, ofMessage messageID: Int64, channelID: Int64, at timestamp: Int64
  ) throws {
    try FileRows.insert(
      file, messageID: messageID, channelID: channelID, at: timestamp, on: connection)
  }
}

/// The rows of files; what removes messages leaves theirs to a trigger.
enum FileRows {
  static func insert(
    _ file: FileRecord, messageID: Int64, channelID: Int64, at timestamp: Int64,
    on connection: StoreConnection
  ) throws {
    try connection.execute(
      """
      INSERT INTO files (file_id, channel_id, message_id, name, type, size, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [file.id, channelID, messageID, file.name, file.type, file.size, timestamp])
  }

  /// Gives up what is left of a channel: the files of messages that it did not keep.
  static func remove(ofChannel channelID: Int64, on connection: StoreConnection) throws {
    try connection.execute(
      """
      INSERT OR IGNORE INTO removed_files (file_id) SELECT file_id FROM files WHERE channel_id = ?
      """, [channelID])
    try connection.execute("DELETE FROM files WHERE channel_id = ?", [channelID])
  }
}
