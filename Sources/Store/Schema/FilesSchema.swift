import SQLite

/// The files of messages.
enum FilesSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: files)
    try database.execute(script: removal)
  }

  /// Messages name their uploaded file, so that its address can be composed when it is read.
  static func nameInMessages(_ database: Database) throws {
    try database.execute(
      script: """
        UPDATE messages SET file = json_set(messages.file, '$.id', files.file_id) FROM files
        WHERE messages.message_id = files.message_id AND messages.file IS NOT NULL
        """)
  }

  /// No foreign keys: a message that an ephemeral channel did not keep may have one all the same.
  private static let files = """
    CREATE TABLE files (
      file_id TEXT NOT NULL PRIMARY KEY,
      channel_id INTEGER NOT NULL,
      message_id INTEGER NOT NULL,
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      size INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX files_by_message ON files (message_id);
    CREATE INDEX files_by_channel ON files (channel_id);
    """

  /// Files that are still to be removed from the disk; whatever removes a message adds its file.
  private static let removal = """
    CREATE TABLE removed_files (file_id TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
    CREATE TRIGGER files_of_removed_messages AFTER DELETE ON messages WHEN old.type = 'FILE'
    BEGIN
      INSERT OR IGNORE INTO removed_files (file_id)
        SELECT file_id FROM files WHERE message_id = old.message_id;
      DELETE FROM files WHERE message_id = old.message_id;
    END;
    """
}
