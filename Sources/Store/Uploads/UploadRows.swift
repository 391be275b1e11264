import ParleyProtocol
package import Uploads

/// The rows of uploads.
extension UploadRecord {
  static let columns = """
    file_id, user_id, stage, name, type, size, durable_bytes, created_at, expires_at, term,
    claimed_until, base, message, message_id, message_error,
    coalesce((SELECT is_active FROM users WHERE users.user_id = uploads.user_id), 0),
    message_result, key_id, file_keys, tail_key, sealed_tail, is_dirty, thumbnail_sizes
    """

  /// From `columns`.
  init(row: StoreRow) throws {
    guard let stage = Stage(rawValue: row[2]) else {
      throw StoreError.damaged(path: "the table uploads", reason: "an unknown stage")
    }
    let keyID: String? = row[17]
    let seal = keyID.map { id in
      UploadSeal(
        masterKeyID: id, keys: row[18] ?? [], tailKey: row[19] ?? [], tail: row[20],
        isDirty: row[21])
    }
    self.init(
      fileID: row[0], userID: row[1], isUserActive: row[15], stage: stage, name: row[3],
      type: row[4], size: row[5], offset: row[6], createdAt: row[7], expiresAt: row[8],
      term: row[9], claimedUntil: row[10], base: row[11], message: row[12], messageID: row[13],
      messageResult: row[16], messageError: row[14], seal: seal,
      thumbnailSizes: (row[22] as String?).flatMap([ThumbnailSize].init(list:)) ?? [])
  }
}

extension StoreTransaction {
  func upload(_ fileID: String) throws -> UploadRecord? {
    try connection.first(
      "SELECT \(UploadRecord.columns) FROM uploads WHERE file_id = ?", [fileID],
      UploadRecord.init(row:))
  }

  func upload(secretHash: [UInt8]) throws -> UploadRecord? {
    try connection.first(
      "SELECT \(UploadRecord.columns) FROM uploads WHERE secret_hash = ?", [secretHash],
      UploadRecord.init(row:))
  }
}

extension WriteTransaction {
  /// Marks files for removal from the depot.
  func removeFiles(_ ids: [String]) throws {
    for id in ids {
      try connection.execute(
        "INSERT INTO removed_files (file_id) VALUES (?) ON CONFLICT DO NOTHING", [id])
    }
    connection.mayHaveRemains = true
  }
}

/// Finds an upload by its id; `nil` when there is none.
package struct UploadLookup: StoreLookup {
  package var fileID: String

  package init(_ fileID: String) { self.fileID = fileID }

  package var statements: ReadStatements<UploadRecord?> { .init { try $0.upload(fileID) } }
}

/// Finds uploads by their ids, with the thumbnails of complete ones.
package struct UploadsLookup: StoreLookup {
  package var fileIDs: [String]

  package init(_ fileIDs: [String]) { self.fileIDs = fileIDs }

  package var statements: ReadStatements<[String: UploadRecord]> {
    .init { transaction in
      var records: [String: UploadRecord] = [:]
      for id in fileIDs {
        guard var record = try transaction.upload(id) else { continue }
        if record.stage == .complete { record.thumbnails = try transaction.thumbnails(of: id) }
        records[id] = record
      }
      return records
    }
  }
}

/// Finds an upload by the hash of the secret in its address; `nil` when there is none.
package struct UploadAddressLookup: StoreLookup {
  package var secretHash: [UInt8]

  package init(secretHash: [UInt8]) { self.secretHash = secretHash }

  package var statements: ReadStatements<UploadRecord?> {
    .init { try $0.upload(secretHash: secretHash) }
  }
}
