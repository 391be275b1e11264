import SQLite

/// The index of messages for search, and its progress.
///
/// Statements that add messages do not touch it: see ``SearchIndexing``. Triggers take messages that are
/// deleted out of it, whatever deletes them, and follow changes of texts.
enum SearchSchema {
  /// The function that makes tokens of a message: text, name of the file, number of the channel, and whether
  /// it is an open one.
  static let function = "search_tokens"

  /// Adds the function to a connection that writes.
  static func addFunction(to database: Database) throws {
    try database.addFunction(function, argumentCount: 4) { values in
      IndexedMessage(
        text: values[0] ?? "", fileName: values[1],
        channelID: values[2].flatMap(Int64.init) ?? 0, isOpen: values[3] == "1"
      ).tokens
    }
  }

  static func create(_ database: Database) throws { try database.execute(script: script) }

  /// Has an index be built again that has messages among others with higher ids: see ``IndexPlaces``.
  static func order(_ database: Database) throws { try database.execute(script: ordering) }

  static let ordering = """
    DELETE FROM search_progress WHERE EXISTS (
      SELECT 1 FROM (
        SELECT message_id < lag(message_id) OVER (ORDER BY place) AS is_late FROM search_messages)
      WHERE is_late)
    """

  /// The values of the function for a row of `messages`.
  static func values(of row: String) -> String {
    """
    \(function)(\(row).text, json_extract(\(row).file, '$.name'), \(row).channel_id,
      \(row).ordinal IS NULL)
    """
  }

  /// The index has no texts and no positions.
  ///
  /// `search_messages` says which messages are in it, and at which of the ``IndexPlaces``.
  private static let script = """
    CREATE VIRTUAL TABLE search USING fts5(
      tokens, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
    CREATE TABLE search_messages (
      place INTEGER PRIMARY KEY,
      message_id INTEGER NOT NULL UNIQUE
    ) STRICT;
    \(progress(integer: "INTEGER", end: ") STRICT"))
    CREATE TRIGGER search_of_removed_messages AFTER DELETE ON messages
    WHEN EXISTS (SELECT 1 FROM search_messages WHERE message_id = old.message_id)
    BEGIN
      \(removal)
      DELETE FROM search_messages WHERE message_id = old.message_id;
    END;
    CREATE TRIGGER search_of_changed_messages AFTER UPDATE OF text ON messages
    WHEN old.text IS NOT new.text
      AND EXISTS (SELECT 1 FROM search_messages WHERE message_id = old.message_id)
    BEGIN
      \(removal)
      INSERT INTO search (rowid, tokens)
        SELECT place, \(values(of: "new")) FROM search_messages WHERE message_id = new.message_id;
    END;
    """

  private static let removal = """
    INSERT INTO search (search, rowid, tokens)
        SELECT 'delete', place, \(values(of: "old")) FROM search_messages
        WHERE message_id = old.message_id;
    """

  /// The first form of the index in PostgreSQL: see ``SearchWordsSchema``.
  static let postgreSQL = """
    CREATE TABLE search_documents (message_id bigint PRIMARY KEY, tokens tsvector);
    CREATE INDEX search_documents_by_tokens ON search_documents USING gin (tokens);
    CREATE INDEX search_documents_outdated ON search_documents (message_id) WHERE tokens IS NULL;
    \(progress(integer: "bigint", end: ")"))
    CREATE FUNCTION parley_unindex() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM search_documents AS d USING gone WHERE d.message_id = gone.message_id;
      RETURN NULL;
    END $$;
    CREATE TRIGGER search_of_removed_messages AFTER DELETE ON messages
      REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION parley_unindex();
    CREATE FUNCTION parley_outdate() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE search_documents SET tokens = NULL WHERE message_id = new.message_id;
      RETURN NULL;
    END $$;
    CREATE TRIGGER search_of_changed_messages AFTER UPDATE OF text ON messages
      FOR EACH ROW WHEN (old.text IS DISTINCT FROM new.text) EXECUTE FUNCTION parley_outdate();
    """

  /// One row, once the first step was taken: see ``SearchProgress``.
  private static func progress(integer: String, end: String) -> String {
    """
    CREATE TABLE search_progress (
      id \(integer) PRIMARY KEY CHECK (id = 1),
      version \(integer) NOT NULL,
      top \(integer) NOT NULL,
      seen \(integer) NOT NULL,
      low \(integer) NOT NULL
    \(end);
    """
  }
}
