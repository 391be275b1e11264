import SQLite

/// Files that are stored encrypted: their wrapped keys, those of uploads, and the times from which the
/// keys of users are valid.
enum SealedFilesSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: script(integer: "INTEGER", text: "TEXT", bytes: "BLOB"))
    try database.execute(
      script: """
        CREATE TABLE file_master_keys (
          key_id TEXT NOT NULL PRIMARY KEY,
          proof BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        """)
  }

  static let postgreSQL = """
    \(script(integer: "bigint", text: "text COLLATE \"C\"", bytes: "bytea"))
    CREATE TABLE file_master_keys (
      key_id text COLLATE "C" PRIMARY KEY,
      proof bytea NOT NULL
    );
    """

  private static func script(integer: String, text: String, bytes: String) -> String {
    """
    ALTER TABLE users ADD COLUMN file_keys_since \(integer) NOT NULL DEFAULT 0;
    ALTER TABLE uploads ADD COLUMN key_id \(text);
    ALTER TABLE uploads ADD COLUMN file_keys \(bytes);
    ALTER TABLE uploads ADD COLUMN tail_key \(bytes);
    ALTER TABLE uploads ADD COLUMN sealed_tail \(bytes);
    ALTER TABLE uploads ADD COLUMN is_dirty \(integer) NOT NULL DEFAULT 0;
    ALTER TABLE files ADD COLUMN key_id \(text);
    ALTER TABLE files ADD COLUMN file_keys \(bytes);
    ALTER TABLE files ADD COLUMN is_converting \(integer) NOT NULL DEFAULT 0;
    CREATE INDEX files_by_key ON files (key_id, file_id) WHERE key_id IS NOT NULL;
    CREATE INDEX files_in_conversion ON files (file_id) WHERE is_converting <> 0;
    CREATE INDEX uploads_by_key ON uploads (key_id, file_id) WHERE key_id IS NOT NULL;
    """
  }
}
