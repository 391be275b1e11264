import GRDB

/// Removes the files of messages that are gone from the disk, one at a time.
///
/// Always after the commit that removed the message: a crash in between leaves the note of what is
/// still to be removed, never a message without its file.
struct FileRemoval {
  let directory: FileDirectory

  /// Removes one file, if there is one to remove.
  func step(on connection: StoreConnection) throws -> PurgeProgress {
    let id = try connection.first("SELECT file_id FROM removed_files LIMIT 1", []) {
      $0[0] as String
    }
    guard let id else { return .finished }
    directory.remove(id)
    try connection.inTransaction {
      try connection.execute("DELETE FROM removed_files WHERE file_id = ?", [id])
    }
    return .unfinished
  }
}
