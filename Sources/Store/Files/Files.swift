import Channels
package import ParleyProtocol
import Synchronization
import Uploads

extension StoreTransaction {
  /// A readable file: of a message whose channel still exists, of a picture, or of a user if it is
  /// complete and has not expired.
  ///
  /// The file of a long request is read by its own address only.
  func file(_ id: String) throws -> FileRecord? {
    guard FileID.isValid(id) else { return nil }
    return try connection.first(
      """
      SELECT file_id, name, type, size, key_id, file_keys, is_converting FROM files
      WHERE file_id = ? AND (
        EXISTS (SELECT 1 FROM file_messages AS m JOIN channels AS c ON c.channel_id = m.channel_id
                WHERE m.file_id = files.file_id)
        OR EXISTS (SELECT 1 FROM uploads WHERE uploads.file_id = files.file_id
                   AND uploads.stage = 'complete')
          AND NOT EXISTS (SELECT 1 FROM file_messages AS m WHERE m.file_id = files.file_id)
          AND NOT EXISTS (SELECT 1 FROM long_requests AS r WHERE r.file_id = files.file_id)
        OR EXISTS (SELECT 1 FROM file_pictures AS p WHERE p.file_id = files.file_id))
      """, [id]
    ) {
      FileRecord(
        id: $0[0], name: $0[1], type: $0[2], size: $0[3],
        seal: FileSeal(masterKeyID: $0[4], keys: $0[5], isUnderWay: $0[6]))
    }
  }

  /// The ids among these that belong to stored files or thumbnails, or to uploads that have not ended.
  func knownFiles(_ ids: [String]) throws -> Set<String> {
    let kept = try connection.all(
      "SELECT file_id FROM files WHERE file_id \(.isAnyOf)", [StoreValue.texts(ids)]
    ) { $0[0] as String }
    let uploads = try connection.all(
      "SELECT file_id FROM uploads WHERE file_id \(.isAnyOf) AND stage IN ('open', 'complete')",
      [StoreValue.texts(ids)]
    ) { $0[0] as String }
    let thumbnails = try connection.all(
      "SELECT content_id FROM thumbnails WHERE content_id \(.isAnyOf)", [StoreValue.texts(ids)]
    ) { $0[0] as String }
    return Set(kept).union(uploads).union(thumbnails)
  }
}

extension WriteTransaction {
  /// Records a file that is durable on disk as that of a message, in the message's own transaction.
  ///
  /// - Parameter shown: The file as it appears in the message.
  func keepFile(
    _ file: FileRecord, shownAs shown: MessageFile?, of userID: String?,
    inMessage messageID: Int64, channelID: Int64, at timestamp: Int64
  ) throws {
    try FileRows.insert(
      file, shownAs: shown, of: userID, inMessage: messageID, channelID: channelID, at: timestamp,
      on: connection)
  }
}

extension FileSeal {
  /// From the columns key_id, file_keys and is_converting; `nil` for an unencrypted file.
  init?(masterKeyID: String?, keys: [UInt8]?, isUnderWay: Bool) {
    guard let masterKeyID else { return nil }
    self.init(masterKeyID: masterKeyID, keys: keys ?? [], isUnderWay: isUnderWay)
  }
}

/// The rows of files, and of the messages that use them; a trigger deletes the latter when messages are
/// removed.
enum FileRows {
  /// - Throws: `StoreError.notFound(.file)` for a user's file removed in the meantime, and
  ///   `LogError.outdatedFile` for one encrypted in the meantime.
  static func insert(
    _ file: FileRecord, shownAs shown: MessageFile?, of userID: String?,
    inMessage messageID: Int64, channelID: Int64, at timestamp: Int64,
    on connection: StoreConnection
  ) throws {
    // The lock keeps an existing file unchanged until the message is stored.
    let keyID = try connection.first(
      "SELECT key_id FROM files WHERE file_id = ? \(.forShare)", [file.id]
    ) { $0[0] as String? }
    let stage = try connection.first("SELECT stage FROM uploads WHERE file_id = ?", [file.id]) {
      $0[0] as String
    }
    switch stage {
    case nil:
      try connection.execute(
        """
        INSERT INTO files (file_id, user_id, name, type, size, created_at, key_id, file_keys)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          file.id, userID ?? "", file.name, file.type, file.size, timestamp,
          file.seal?.masterKeyID, file.seal?.keys,
        ])
    case UploadRecord.Stage.complete.rawValue:
      try requireTruth(of: shown, isSealed: (keyID ?? nil) != nil)
    case .some: throw StoreError.notFound(.file)
    }
    try connection.execute(
      "INSERT INTO file_messages (message_id, file_id, channel_id) VALUES (?, ?, ?)",
      [messageID, file.id, channelID])
  }

  /// Refuses a message that shows an encrypted file as readable without a key.
  ///
  /// - Throws: `LogError.outdatedFile`.
  static func requireTruth(of shown: MessageFile?, isSealed: Bool) throws(LogError) {
    guard !isSealed || shown?.requiresAuthorization == true else { throw .outdatedFile }
  }

  /// Releases some remains of a channel: the files of messages that it did not keep.
  ///
  /// - Returns: The number of messages whose files were released.
  static func remove(
    ofChannel channelID: Int64, limit: Int, on connection: StoreConnection
  ) throws -> Int {
    try connection.change(
      """
      DELETE FROM file_messages WHERE message_id IN
        (SELECT message_id FROM file_messages \(.index("file_messages_by_channel"))
         WHERE channel_id = ? LIMIT ?)
      """, [channelID, limit])
  }
}

/// Removes the files of deleted messages, some at a time.
///
/// It always runs after the commit that removed the message: after a crash in between, the record of
/// what to remove remains, never a message without its file. The depot removes files on threads of its
/// own; several servers on one database may remove the same files.
final class FileRemoval: Sendable {
  private let depot: any FileDepot
  private let jobs: JobQueue<WriteJob>
  private let isUnderWay = Atomic(false)

  /// The number of files removed together.
  private static let stepCount = 32

  init(from depot: any FileDepot, jobs: JobQueue<WriteJob>) {
    self.depot = depot
    self.jobs = jobs
  }

  /// Starts removing some files, if there are any to remove and no removal is in progress.
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

  /// Deletes the records of removed files; when that fails, the files are removed again later.
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

/// Finds a readable file; `nil` when no message, channel or user has it.
package struct FileLookup: StoreLookup {
  package var fileID: String

  package init(_ fileID: String) { self.fileID = fileID }

  package var statements: ReadStatements<FileRecord?> { .init { try $0.file(fileID) } }
}
