import SQLite

/// Uploads of users, and the users of each file: messages, of which there may be several, and channels
/// and users with the file as picture.
enum UploadsSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: uploads)
    try database.execute(script: holders)
    try database.execute(script: moves)
    try database.execute(script: releases)
    for (table, column, key, kind) in pictures {
      try database.execute(script: Self.pictures(of: table, in: column, key: key, kind: kind))
    }
  }

  /// No foreign keys: the remains of a user's uploads are removed step by step.
  private static let uploads = """
    CREATE TABLE uploads (
      file_id TEXT NOT NULL PRIMARY KEY,
      secret_hash BLOB NOT NULL,
      sealed_secret BLOB,
      user_id TEXT NOT NULL,
      stage TEXT NOT NULL,
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      size INTEGER NOT NULL,
      durable_bytes INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      term INTEGER NOT NULL DEFAULT 0,
      claimed_until INTEGER NOT NULL DEFAULT 0,
      base TEXT NOT NULL,
      req_id TEXT,
      message TEXT,
      message_id INTEGER,
      message_result TEXT,
      message_error TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX uploads_by_secret ON uploads (secret_hash);
    CREATE INDEX uploads_by_user ON uploads (user_id, created_at, file_id);
    CREATE INDEX uploads_by_expiry ON uploads (expires_at);
    CREATE INDEX uploads_with_message ON uploads (file_id)
      WHERE stage = 'complete' AND message IS NOT NULL AND message_id IS NULL
        AND message_error IS NULL;
    CREATE INDEX uploads_with_secret ON uploads (created_at) WHERE sealed_secret IS NOT NULL;
    """

  private static let holders = """
    CREATE TABLE file_messages (
      message_id INTEGER NOT NULL,
      file_id TEXT NOT NULL,
      channel_id INTEGER NOT NULL,
      PRIMARY KEY (message_id, file_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX file_messages_by_file ON file_messages (file_id);
    CREATE INDEX file_messages_by_channel ON file_messages (channel_id);
    CREATE TABLE file_pictures (
      holder TEXT NOT NULL PRIMARY KEY,
      file_id TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX file_pictures_by_file ON file_pictures (file_id);
    """

  private static let moves = """
    DROP TRIGGER files_of_removed_messages;
    INSERT INTO file_messages (message_id, file_id, channel_id)
      SELECT message_id, file_id, channel_id FROM files;
    DROP INDEX files_by_message;
    DROP INDEX files_by_channel;
    ALTER TABLE files DROP COLUMN message_id;
    ALTER TABLE files DROP COLUMN channel_id;
    ALTER TABLE files ADD COLUMN user_id TEXT NOT NULL DEFAULT '';
    ALTER TABLE files ADD COLUMN is_picture INTEGER NOT NULL DEFAULT 0;
    UPDATE files SET user_id = coalesce(
      (SELECT m.user_id FROM file_messages AS f JOIN messages AS m ON m.message_id = f.message_id
       WHERE f.file_id = files.file_id), '');
    CREATE INDEX files_by_user ON files (user_id, created_at, file_id, size) WHERE user_id <> '';
    CREATE INDEX files_by_age ON files (created_at, file_id, size);
    """

  /// A file is removed with the last message or picture that uses it.
  private static let releases = """
    CREATE TRIGGER files_of_removed_messages AFTER DELETE ON messages WHEN old.type = 'FILE'
    BEGIN
      DELETE FROM file_messages WHERE message_id = old.message_id;
    END;
    \(release(from: "file_messages"))
    \(release(from: "file_pictures"))
    """

  private static func release(from table: String) -> String {
    """
    CREATE TRIGGER released_from_\(table) AFTER DELETE ON \(table)
      WHEN NOT EXISTS (SELECT 1 FROM file_messages WHERE file_id = old.file_id)
        AND NOT EXISTS (SELECT 1 FROM file_pictures WHERE file_id = old.file_id)
    BEGIN
      INSERT OR IGNORE INTO removed_files (file_id) VALUES (old.file_id);
      DELETE FROM files WHERE file_id = old.file_id;
      UPDATE uploads SET stage = 'expired' WHERE file_id = old.file_id;
    END;
    """
  }

  /// The columns with addresses of pictures, with the key of the table and a letter for it.
  static let pictures = [
    ("channels", "cover_url", "channel_id", "c"), ("users", "profile_url", "user_id", "u"),
  ]

  /// A picture is kept by the address that contains its file's id, if the file was released for that.
  private static func pictures(
    of table: String, in column: String, key: String, kind: String
  ) -> String {
    let holder = { (row: String) in "'\(kind)' || \(row).\(key)" }
    let fileID = "substr(new.\(column), instr(new.\(column), '/files/') + 7, 32)"
    let hold = """
      INSERT OR REPLACE INTO file_pictures (holder, file_id)
        SELECT \(holder("new")), file_id FROM files WHERE file_id = \(fileID) AND is_picture = 1;
      """
    return """
      CREATE TRIGGER picture_of_new_\(table) AFTER INSERT ON \(table)
        WHEN instr(new.\(column), '/files/') > 0
      BEGIN
        \(hold)
      END;
      CREATE TRIGGER picture_of_changed_\(table) AFTER UPDATE OF \(column) ON \(table)
        WHEN old.\(column) <> new.\(column)
      BEGIN
        DELETE FROM file_pictures WHERE holder = \(holder("old")) AND file_id <> \(fileID);
        \(hold)
      END;
      CREATE TRIGGER picture_of_removed_\(table) AFTER DELETE ON \(table)
      BEGIN
        DELETE FROM file_pictures WHERE holder = \(holder("old"));
      END;
      """
  }
}
