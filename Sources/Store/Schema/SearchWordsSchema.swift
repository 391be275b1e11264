/// The index of messages for search in PostgreSQL, with the words of messages in place of their tokens.
///
/// Tokens stored as a `tsvector` take more than twice the bytes of the texts. They are made of the words when
/// a message enters the index, and when an entry must be compared with a query.
enum SearchWordsSchema {
  /// The index of before is dropped, and built again in the background.
  ///
  /// `words` are those of ``IndexedMessage``, and `NULL` for a message whose text has changed: the next step of
  /// ``SearchIndexing`` stores the new ones. The tokens of a run are each two neighbours and the last character,
  /// as in ``SearchedText``.
  ///
  /// New entries wait in a list, which each search reads. The list is short: it is read quickly, and its pages,
  /// which remain in the index, are few.
  static let postgreSQL = """
    DROP TABLE search_documents;
    DELETE FROM search_progress;
    CREATE FUNCTION parley_tokens(words text) RETURNS tsvector
      LANGUAGE plpgsql IMMUTABLE STRICT AS $$
    DECLARE
      runs text := split_part(words, chr(10), 2);
      characters text[];
    BEGIN
      IF runs = '' THEN RETURN array_to_tsvector(string_to_array(words, ' ')); END IF;
      characters := string_to_array(runs, NULL);
      RETURN array_to_tsvector(
        string_to_array(split_part(words, chr(10), 1), ' ')
        || ARRAY(
          SELECT rtrim(a || coalesce(b, ''))
          FROM unnest(characters, characters[2:]) AS pair (a, b) WHERE a <> ' '));
    END $$;
    CREATE TABLE search_documents (message_id bigint PRIMARY KEY, words text COLLATE "C");
    CREATE INDEX search_documents_by_tokens ON search_documents
      USING gin (parley_tokens(words)) WITH (gin_pending_list_limit = 512);
    CREATE INDEX search_documents_outdated ON search_documents (message_id) WHERE words IS NULL;
    CREATE OR REPLACE FUNCTION parley_outdate() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE search_documents SET words = NULL WHERE message_id = new.message_id;
      RETURN NULL;
    END $$;
    """
}
