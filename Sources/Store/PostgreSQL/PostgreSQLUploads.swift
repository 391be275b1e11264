/// The second version of the schema: uploads of users; see ``UploadsSchema``.
enum PostgreSQLUploads {
  static let script = [
    uploads, holders, moves, releases,
    UploadsSchema.pictures.map { pictures(of: $0.0, in: $0.1, key: $0.2, kind: $0.3) }
      .joined(separator: "\n"),
  ].joined(separator: "\n")

  private static let uploads = """
    CREATE TABLE uploads (
      file_id text COLLATE "C" PRIMARY KEY,
      secret_hash bytea NOT NULL UNIQUE,
      sealed_secret bytea,
      user_id text COLLATE "C" NOT NULL,
      stage text COLLATE "C" NOT NULL,
      name text NOT NULL,
      type text NOT NULL,
      size bigint NOT NULL,
      durable_bytes bigint NOT NULL DEFAULT 0,
      created_at bigint NOT NULL,
      expires_at bigint NOT NULL,
      term bigint NOT NULL DEFAULT 0,
      claimed_until bigint NOT NULL DEFAULT 0,
      base text NOT NULL,
      req_id text COLLATE "C",
      message text,
      message_id bigint,
      message_result text,
      message_error text
    );
    CREATE INDEX uploads_by_user ON uploads (user_id, created_at, file_id);
    CREATE INDEX uploads_by_expiry ON uploads (expires_at);
    CREATE INDEX uploads_with_message ON uploads (file_id)
      WHERE stage = 'complete' AND message IS NOT NULL AND message_id IS NULL
        AND message_error IS NULL;
    CREATE INDEX uploads_with_secret ON uploads (created_at) WHERE sealed_secret IS NOT NULL;
    """

  private static let holders = """
    CREATE TABLE file_messages (
      message_id bigint NOT NULL,
      file_id text COLLATE "C" NOT NULL,
      channel_id bigint NOT NULL,
      PRIMARY KEY (message_id, file_id)
    );
    CREATE INDEX file_messages_by_file ON file_messages (file_id);
    CREATE INDEX file_messages_by_channel ON file_messages (channel_id);
    CREATE TABLE file_pictures (
      holder text COLLATE "C" PRIMARY KEY,
      file_id text COLLATE "C" NOT NULL
    );
    CREATE INDEX file_pictures_by_file ON file_pictures (file_id);
    """

  private static let moves = """
    DROP TRIGGER files_of_removed_messages ON messages;
    DROP FUNCTION parley_remove_file();
    INSERT INTO file_messages (message_id, file_id, channel_id)
      SELECT message_id, file_id, channel_id FROM files;
    ALTER TABLE files DROP COLUMN message_id, DROP COLUMN channel_id,
      ADD COLUMN user_id text COLLATE "C" NOT NULL DEFAULT '',
      ADD COLUMN is_picture smallint NOT NULL DEFAULT 0;
    UPDATE files SET user_id = coalesce(
      (SELECT m.user_id FROM file_messages AS f JOIN messages AS m ON m.message_id = f.message_id
       WHERE f.file_id = files.file_id), '');
    CREATE INDEX files_by_user ON files (user_id, created_at, file_id, size) WHERE user_id <> '';
    CREATE INDEX files_by_age ON files (created_at, file_id, size);
    """

  /// The file's row is locked before the rows that use the file are counted, so a row being added by
  /// another transaction is waited for.
  private static let releases = """
    CREATE FUNCTION parley_remove_message_files() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM file_messages WHERE message_id = old.message_id;
      RETURN NULL;
    END $$;
    CREATE TRIGGER files_of_removed_messages AFTER DELETE ON messages
      FOR EACH ROW WHEN (old.type = 'FILE') EXECUTE FUNCTION parley_remove_message_files();
    CREATE FUNCTION parley_release_file() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM 1 FROM files WHERE file_id = old.file_id FOR UPDATE;
      IF NOT EXISTS (SELECT 1 FROM file_messages WHERE file_id = old.file_id)
        AND NOT EXISTS (SELECT 1 FROM file_pictures WHERE file_id = old.file_id) THEN
        INSERT INTO removed_files (file_id) VALUES (old.file_id) ON CONFLICT DO NOTHING;
        DELETE FROM files WHERE file_id = old.file_id;
        UPDATE uploads SET stage = 'expired' WHERE file_id = old.file_id;
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER released_from_file_messages AFTER DELETE ON file_messages
      FOR EACH ROW EXECUTE FUNCTION parley_release_file();
    CREATE TRIGGER released_from_file_pictures AFTER DELETE ON file_pictures
      FOR EACH ROW EXECUTE FUNCTION parley_release_file();
    """

  private static func pictures(
    of table: String, in column: String, key: String, kind: String
  ) -> String {
    """
    CREATE FUNCTION parley_keep_picture_of_\(table)() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE named text := substring(new.\(column) from '/files/([0-9a-f]{32})');
    BEGIN
      IF TG_OP = 'UPDATE' THEN
        DELETE FROM file_pictures
          WHERE holder = '\(kind)' || old.\(key) AND file_id IS DISTINCT FROM named;
      END IF;
      INSERT INTO file_pictures (holder, file_id)
        SELECT '\(kind)' || new.\(key), file_id FROM files
        WHERE file_id = named AND is_picture = 1
        ON CONFLICT (holder) DO UPDATE SET file_id = excluded.file_id;
      RETURN NULL;
    END $$;
    CREATE TRIGGER picture_of_new_\(table) AFTER INSERT ON \(table)
      FOR EACH ROW WHEN (new.\(column) LIKE '%/files/%')
      EXECUTE FUNCTION parley_keep_picture_of_\(table)();
    CREATE TRIGGER picture_of_changed_\(table) AFTER UPDATE OF \(column) ON \(table)
      FOR EACH ROW WHEN (old.\(column) <> new.\(column))
      EXECUTE FUNCTION parley_keep_picture_of_\(table)();
    CREATE FUNCTION parley_drop_picture_of_\(table)() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM file_pictures WHERE holder = '\(kind)' || old.\(key);
      RETURN NULL;
    END $$;
    CREATE TRIGGER picture_of_removed_\(table) AFTER DELETE ON \(table)
      FOR EACH ROW EXECUTE FUNCTION parley_drop_picture_of_\(table)();
    """
  }
}
