package import Channels
import Synchronization

extension StoreTransaction {
  /// A file whose message was sent and whose channel still exists.
  func file(_ id: String) throws -> FileRecord? {
    guard FileID.isValid(id) else { return nil }
    return try connection.first(
      """
      SELECT file_id, name, type, size FROM files
      WHERE file_id = ? AND EXISTS (SELECT 1 FROM channels WHERE channel_id = files.channel_id)
      """, [id]
    ) { FileRecord(id: $0[0], name: $0[1], type: $0[2], size: $0[3]) }
  }

  /// Those of the ids that are of files which the store keeps.
  func knownFiles(_ ids: [String]) throws -> Set<String> {
    Set(
      try connection.all(
        "SELECT file_id FROM files WHERE file_id \(.isAnyOf)", [StoreValue.texts(ids)]
      ) { $0[0] as String })
  }
}

extension WriteTransaction {
  /// Notes a file that is safe on disk as that of a message, in the message's own transaction.
  func keepFile(
    _ file: FileRecord, ofMessage messageID: Int64, channelID: Int64, at timestamp: Int64
  ) throws {
    try FileRows.insert(
      file, messageID: messageID, channelID: channelID, at: timestamp, on: connection)
  }
}

/// The rows of files; what removes messages leaves theirs to a trigger.
enum FileRows {
  static func insert(
    _ file: FileRecord, messageID: Int64, channelID: Int64, at timestamp: Int64,
    on connection: StoreConnection
  ) throws {
    try connection.execute(
      """
      INSERT INTO files (file_id, channel_id, message_id, name, type, size, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [file.id, channelID, messageID, file.name, file.type, file.size, timestamp])
  }

  /// Gives up what is left of a channel: the files of messages that it did not keep.
  static func remove(ofChannel channelID: Int64, on connection: StoreConnection) throws {
    try connection.execute(
      """
      INSERT INTO removed_files (file_id) SELECT file_id FROM files WHERE channel_id = ?
      ON CONFLICT DO NOTHING
      """, [channelID])
    try connection.execute("DELETE FROM files WHERE channel_id = ?", [channelID])
  }
}

/// Removes the files of messages that are gone, some at a time.
///
/// Always after the commit that removed the message: a crash in between leaves the note of what is
/// still to be removed, never a message without its file. The depot takes its time on threads of its
/// own; several servers on one database may remove the same files.
final class FileRemoval: Sendable {
  private let depot: any FileDepot
  private let jobs: JobQueue<WriteJob>
  private let isUnderWay = Atomic(false)

  /// The number of files that are removed together.
  private static let stepCount = 32

  init(from depot: any FileDepot, jobs: JobQueue<WriteJob>) {
    self.depot = depot
    self.jobs = jobs
  }

  /// Begins to remove some files, if there are any to remove and none are under way.
  ///
  /// - Returns: `.finished`, since there is nothing to do until the depot answers.
  func step(on connection: StoreConnection) throws -> PurgeProgress {
    guard !isUnderWay.load(ordering: .acquiring) else { return .finished }
    let ids = try connection.all(
      "SELECT file_id FROM removed_files LIMIT ?", [Self.stepCount]
    ) { $0[0] as String }
    guard !ids.isEmpty else { return .finished }
    isUnderWay.store(true, ordering: .releasing)
    depot.remove(ids) { [self] result in
      guard case .success = result else { return isUnderWay.store(false, ordering: .releasing) }
      let admission = jobs.submit(.maintenance { [self] in forget(ids, on: $0) })
      if admission != .accepted { isUnderWay.store(false, ordering: .releasing) }
    }
    return .finished
  }

  /// Strikes off files that are gone; where that fails they are removed once more, later.
  private func forget(_ ids: [String], on connection: StoreConnection) {
    let isForgotten: Void? = try? connection.inTransaction {
      for id in ids {
        try connection.execute("DELETE FROM removed_files WHERE file_id = ?", [id])
      }
    }
    isUnderWay.store(false, ordering: .releasing)
    if isForgotten != nil { connection.mayHaveRemains = true }
  }
}

/// Finds a file whose message was sent and whose channel still exists; `nil` otherwise.
package struct FileLookup: StoreLookup {
  package var fileID: String

  package init(_ fileID: String) { self.fileID = fileID }

  package var statements: ReadStatements<FileRecord?> { .init { try $0.file(fileID) } }
}
