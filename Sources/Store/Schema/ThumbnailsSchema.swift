import SQLite

/// Thumbnails of files, removed together with them.
enum ThumbnailsSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: tables)
    try database.execute(script: removal)
  }

  private static let tables = """
    ALTER TABLE uploads ADD COLUMN thumbnail_sizes TEXT;
    ALTER TABLE files ADD COLUMN thumbnail_failure TEXT;
    CREATE TABLE thumbnails (
      file_id TEXT NOT NULL,
      max_width INTEGER NOT NULL,
      max_height INTEGER NOT NULL,
      content_id TEXT NOT NULL,
      type TEXT NOT NULL,
      size INTEGER NOT NULL,
      width INTEGER NOT NULL,
      height INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (file_id, max_width, max_height)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX thumbnails_by_content ON thumbnails (content_id);
    """

  private static let removal = """
    CREATE TRIGGER thumbnails_of_removed_files AFTER DELETE ON files
    BEGIN
      INSERT OR IGNORE INTO removed_files (file_id)
        SELECT content_id FROM thumbnails WHERE file_id = old.file_id;
      DELETE FROM thumbnails WHERE file_id = old.file_id;
    END;
    """
}

/// The same in PostgreSQL: the third version of its schema.
enum PostgreSQLThumbnails {
  static let script = """
    ALTER TABLE uploads ADD COLUMN thumbnail_sizes text;
    ALTER TABLE files ADD COLUMN thumbnail_failure text;
    CREATE TABLE thumbnails (
      file_id text COLLATE "C" NOT NULL,
      max_width bigint NOT NULL,
      max_height bigint NOT NULL,
      content_id text COLLATE "C" NOT NULL UNIQUE,
      type text NOT NULL,
      size bigint NOT NULL,
      width bigint NOT NULL,
      height bigint NOT NULL,
      created_at bigint NOT NULL,
      PRIMARY KEY (file_id, max_width, max_height)
    );
    CREATE FUNCTION parley_remove_thumbnails() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO removed_files (file_id)
        SELECT content_id FROM thumbnails WHERE file_id = old.file_id ON CONFLICT DO NOTHING;
      DELETE FROM thumbnails WHERE file_id = old.file_id;
      RETURN NULL;
    END $$;
    CREATE TRIGGER thumbnails_of_removed_files AFTER DELETE ON files
      FOR EACH ROW EXECUTE FUNCTION parley_remove_thumbnails();
    """
}
