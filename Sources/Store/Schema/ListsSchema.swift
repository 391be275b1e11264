import SQLite

/// The schema that lists need: indexes of messages for filters, the number of a channel's messages, and
/// names folded so that case makes no difference in any language.
enum ListsSchema {
  static let steps: [MigrationStep] = [
    MigrationStep("indexing messages by custom type") { try $0.execute(script: customTypes) },
    MigrationStep("indexing messages by type") { try $0.execute(script: types) },
    MigrationStep("indexing messages by sender") { try $0.execute(script: senders) },
    MigrationStep("counting messages") { try $0.execute(script: counts) },
    MigrationStep("folding names", foldNames),
  ]

  /// Most messages have no custom type and are users' texts: they cost these two indexes nothing.
  private static let customTypes = """
    CREATE INDEX messages_by_custom_type
      ON messages (channel_id, custom_type, created_at, message_id) WHERE custom_type <> ''
    """
  private static let types = """
    CREATE INDEX messages_by_type
      ON messages (channel_id, type, created_at, message_id) WHERE type <> 'MESG'
    """

  private static let senders = """
    CREATE INDEX messages_by_sender ON messages (channel_id, user_id, created_at, message_id)
    """

  private static let counts = """
    ALTER TABLE channels ADD COLUMN message_count INTEGER NOT NULL DEFAULT 0;
    UPDATE channels SET message_count =
      (SELECT count(*) FROM messages INDEXED BY messages_by_seq
       WHERE messages.channel_id = channels.channel_id);
    """

  /// They were in lower case, which keeps `ß` and `SS` apart.
  private static func foldNames(_ database: Database) throws {
    for (table, folded, name) in [
      ("channels", "name_folded", "name"), ("users", "nickname_folded", "nickname"),
    ] {
      try database.withFunction("parley_fold", { $0.caseFolded }) {
        try database.execute(
          """
          UPDATE \(table) SET \(folded) = parley_fold(\(name)) WHERE \(folded) <> parley_fold(\(name))
          """)
      }
    }
  }
}
