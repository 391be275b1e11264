package import ParleyProtocol
package import Uploads

extension StoreTransaction {
  /// The thumbnails of a file, oldest first.
  func thumbnails(of fileID: String) throws -> FileThumbnails {
    let made = try connection.all(
      """
      SELECT max_width, max_height, content_id, type, size, width, height FROM thumbnails
      WHERE file_id = ? ORDER BY max_width, max_height
      """, [fileID]
    ) { row in
      FileThumbnail(
        bounds: ThumbnailSize(maxWidth: row[0], maxHeight: row[1]), contentID: row[2],
        type: row[3], size: row[4], width: row[5], height: row[6])
    }
    let failure = try connection.first(
      "SELECT thumbnail_failure FROM files WHERE file_id = ?", [fileID]
    ) { $0[0] as String? }
    return FileThumbnails(made: made, failure: failure ?? nil)
  }

  /// The record of one thumbnail of a file; `nil` when there is none.
  ///
  /// While its file is being converted, the thumbnail may still be unencrypted.
  func thumbnail(of file: FileRecord, within bounds: ThumbnailSize) throws -> FileRecord? {
    try thumbnails(of: file.id).thumbnail(within: bounds).map { found in
      FileRecord(
        id: found.contentID, name: file.name, type: found.type, size: found.size,
        seal: file.seal.map {
          FileSeal(masterKeyID: $0.masterKeyID, keys: $0.keys, isUnderWay: true)
        })
    }
  }
}

/// A readable file with its thumbnails.
package struct ThumbnailedFile: Sendable, Hashable {
  package var file: FileRecord
  package var thumbnails: FileThumbnails
}

/// Finds the thumbnails of a file; `nil` when there is no such file.
package struct ThumbnailsLookup: StoreLookup {
  package var fileID: String

  package init(_ fileID: String) { self.fileID = fileID }

  package var statements: ReadStatements<ThumbnailedFile?> {
    .init { transaction in
      try transaction.file(fileID).map {
        ThumbnailedFile(file: $0, thumbnails: try transaction.thumbnails(of: fileID))
      }
    }
  }
}

/// Records stored thumbnails, or the reason why a file can have none.
///
/// Outcome: the thumbnails of the file from now on, including those of another server; `nil` when the
/// file was removed. Bytes that are no longer needed are removed, such as unencrypted ones when the file
/// was encrypted in the meantime, and those of thumbnails beyond ``FileThumbnails/limit``.
package struct ThumbnailAddition: StoreWrite {
  package var fileID: String
  /// Whether they were encrypted with the file's key.
  package var areSealed: Bool
  package var thumbnails: [FileThumbnail]
  package var failure: String?
  /// Unix milliseconds.
  package var time: Int64

  package init(
    _ file: FileRecord, _ thumbnails: [FileThumbnail], failure: String?, at time: Int64
  ) {
    fileID = file.id
    areSealed = file.seal != nil
    self.thumbnails = thumbnails
    self.failure = failure
    self.time = time
  }

  package var urgency: WriteUrgency { .aside }

  package var statements: WriteStatements<FileThumbnails?> {
    .init { transaction in
      let connection = transaction.connection
      let isSealed = try connection.first(
        "SELECT key_id FROM files WHERE file_id = ? \(.forUpdate)", [fileID]
      ) { ($0[0] as String?) != nil }
      guard isSealed == areSealed else {
        try transaction.removeFiles(thumbnails.map(\.contentID))
        return isSealed == nil ? nil : try transaction.thumbnails(of: fileID)
      }
      var room = FileThumbnails.limit - (try transaction.thumbnails(of: fileID).made.count)
      for thumbnail in thumbnails {
        guard room > 0 else {
          try transaction.removeFiles([thumbnail.contentID])
          continue
        }
        let count = try connection.change(
          """
          INSERT INTO thumbnails
            (file_id, max_width, max_height, content_id, type, size, width, height, created_at)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
          """,
          [
            fileID, thumbnail.bounds.maxWidth, thumbnail.bounds.maxHeight, thumbnail.contentID,
            thumbnail.type, thumbnail.size, thumbnail.width, thumbnail.height, time,
          ])
        if count == 0 { try transaction.removeFiles([thumbnail.contentID]) }
        room -= count
      }
      if let failure {
        try connection.execute(
          "UPDATE files SET thumbnail_failure = ? WHERE file_id = ?", [failure, fileID])
      }
      return try transaction.thumbnails(of: fileID)
    }
  }
}

/// Removes the bytes of thumbnails whose addition failed, unless the addition was committed after all:
/// the answer to a commit can be lost.
package struct ThumbnailWithdrawal: StoreWrite {
  package var fileID: String
  package var contentIDs: [String]

  package init(_ thumbnails: [FileThumbnail], of fileID: String) {
    self.fileID = fileID
    contentIDs = thumbnails.map(\.contentID)
  }

  package var urgency: WriteUrgency { .aside }

  package var statements: WriteStatements<Void> {
    .init { transaction in
      // The addition locked the row: if it is still being committed, this waits for it.
      _ = try transaction.connection.first(
        "SELECT 1 FROM files WHERE file_id = ? \(.forUpdate)", [fileID]
      ) { _ in }
      let kept = Set(try transaction.thumbnails(of: fileID).made.map(\.contentID))
      try transaction.removeFiles(contentIDs.filter { !kept.contains($0) })
    }
  }
}

/// Records a file from a form before its message is stored, so that thumbnails can be made of it.
///
/// From now on it is a complete upload without an owner, which is removed unless a message uses it.
package struct FileNote: StoreWrite {
  package var file: FileRecord
  package var userID: String
  /// Unix milliseconds.
  package var time: Int64
  /// Unix milliseconds, the first moment at which it is removed unless a message has it.
  package var expiresAt: Int64
  /// The SHA-256 of a secret that is never given out.
  package var secretHash: [UInt8]

  package init(
    _ file: FileRecord, of userID: String, at time: Int64, expiresAt: Int64, secretHash: [UInt8]
  ) {
    self.file = file
    self.userID = userID
    self.time = time
    self.expiresAt = expiresAt
    self.secretHash = secretHash
  }

  package var statements: WriteStatements<Void> {
    .init { transaction in
      try transaction.connection.execute(
        """
        INSERT INTO uploads (file_id, secret_hash, user_id, stage, name, type, size, durable_bytes,
          created_at, expires_at, base)
        VALUES (?, ?, '', 'complete', ?, ?, ?, ?, ?, ?, '')
        """,
        [
          file.id, secretHash, file.name, file.type, file.size, file.size, time, expiresAt,
        ])
      try transaction.connection.execute(
        """
        INSERT INTO files (file_id, user_id, name, type, size, created_at, key_id, file_keys)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          file.id, userID, file.name, file.type, file.size, time, file.seal?.masterKeyID,
          file.seal?.keys,
        ])
    }
  }
}
