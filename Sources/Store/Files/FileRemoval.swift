import SQLite

/// Removes the files of messages that are gone from the disk, some at a time.
///
/// Always after the commit that removed the message: a crash in between leaves the note of what is
/// still to be removed, never a message without its file.
struct FileRemoval {
  let directory: FileDirectory

  /// So many share a commit; few enough that messages need not wait long for the disk.
  private static let stepCount = 32

  /// Removes some files, if there are any to remove.
  func step(on connection: StoreConnection) throws -> PurgeProgress {
    let ids = try connection.all(
      "SELECT file_id FROM removed_files LIMIT ?", [Self.stepCount]
    ) { $0[0] as String }
    guard !ids.isEmpty else { return .finished }
    for id in ids { directory.remove(id) }
    try connection.inTransaction {
      for id in ids {
        try connection.execute("DELETE FROM removed_files WHERE file_id = ?", [id])
      }
    }
    return .unfinished
  }
}
