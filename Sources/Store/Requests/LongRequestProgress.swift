package import ParleyProtocol
package import Uploads

/// Begins or continues the file of a request, whose keys are stored before a byte is written.
///
/// Outcome: whether the server still has the request.
package struct LongRequestFile: StoreWrite {
  package var number: Int64
  package var term: Int64
  /// The record to add for the first opening; `nil` for a file that exists.
  package var upload: NewUpload?
  /// The secret in the address of the file, sealed.
  package var sealedSecret: [UInt8]?
  /// The keys with which an encrypted file is written from now on.
  package var seal: UploadSeal?

  package init(
    _ request: LongRequest, new upload: NewUpload?, sealedSecret: [UInt8]?,
    sealedBy seal: UploadSeal?
  ) {
    (number, term) = (request.number, request.term)
    self.upload = upload
    self.sealedSecret = sealedSecret
    self.seal = seal
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Bool> { .init { try $0.open(self) } }
}

/// Records a step of the work at a request, together with the bytes of its file that are durable.
///
/// Outcome: whether the server still has the request; otherwise nothing changes.
package struct LongRequestProgress: StoreWrite {
  /// The durable part of the file.
  package struct Part: Sendable, Hashable {
    package var offset: Int64
    /// The rest of an encrypted file at the offset.
    package var rest: UploadRest?

    package init(offset: Int64, rest: UploadRest?) {
      self.offset = offset
      self.rest = rest
    }
  }

  package var number: Int64
  package var term: Int64
  package var position: String
  package var part: Part?
  /// Unix milliseconds.
  package var time: Int64
  /// Unix milliseconds until which no other server takes the request.
  package var end: Int64
  /// Unix milliseconds until which an unfinished file is kept.
  package var fileEnd: Int64

  package init(
    _ request: LongRequest, position: String, part: Part?, at time: Int64, until end: Int64,
    fileUntil fileEnd: Int64
  ) {
    (number, term) = (request.number, request.term)
    self.position = position
    self.part = part
    self.time = time
    self.end = end
    self.fileEnd = fileEnd
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Bool> { .init { try $0.record(self) } }
}

/// Ends the work at a request.
///
/// A finished file is kept until it expires; that of a failed request is removed.
/// Outcome: whether the server still had the request.
package struct LongRequestEnd: StoreWrite {
  package enum Ending: Sendable, Hashable {
    /// - Parameters:
    ///   - fileSize: The bytes of the file; `nil` without a file.
    ///   - expiry: Unix milliseconds at which the file is removed.
    case done(fileSize: Int64?, expiry: Int64)
    case failed(reason: String)
  }

  package var number: Int64
  package var term: Int64
  package var ending: Ending
  /// Unix milliseconds.
  package var time: Int64

  package init(_ request: LongRequest, _ ending: Ending, at time: Int64) {
    (number, term) = (request.number, request.term)
    self.ending = ending
    self.time = time
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Bool> { .init { try $0.end(self) } }
}

/// Finds the complete file of a request by the hash of the secret in its address; `nil` when there is none.
package struct LongRequestFileLookup: StoreLookup {
  package var secretHash: [UInt8]
  /// Unix milliseconds.
  package var time: Int64

  package init(secretHash: [UInt8], at time: Int64) {
    self.secretHash = secretHash
    self.time = time
  }

  package var statements: ReadStatements<FileRecord?> {
    .init { transaction in
      guard let upload = try transaction.upload(secretHash: secretHash),
        upload.stage == .complete, upload.expiresAt > time
      else { return nil }
      return try transaction.connection.first(
        """
        SELECT file_id, name, type, size, key_id, file_keys, is_converting FROM files
        WHERE file_id = ? AND EXISTS (SELECT 1 FROM long_requests WHERE long_requests.file_id = files.file_id)
        """, [upload.fileID]
      ) {
        FileRecord(
          id: $0[0], name: $0[1], type: $0[2], size: $0[3],
          seal: FileSeal(masterKeyID: $0[4], keys: $0[5], isUnderWay: $0[6]))
      }
    }
  }
}

extension WriteTransaction {
  /// Locks a request that a server works at; the id of its file.
  ///
  /// - Returns: `nil` when the server has lost the request.
  private func hold(_ number: Int64, _ term: Int64) throws -> String?? {
    try connection.first(
      """
      SELECT file_id FROM long_requests
      WHERE request_number = ? AND term = ? AND status = 'processing' \(.forUpdate)
      """, [number, term]
    ) { $0[0] as String? }
  }

  fileprivate func open(_ opening: LongRequestFile) throws -> Bool {
    guard let held = try hold(opening.number, opening.term) else { return false }
    if let upload = opening.upload {
      let record = upload.record
      try connection.execute(
        """
        INSERT INTO uploads (file_id, secret_hash, user_id, stage, name, type, size, created_at,
          expires_at, base, key_id)
        VALUES (?, ?, '', 'open', ?, ?, 0, ?, ?, '', ?)
        """,
        [
          record.fileID, upload.secretHash, record.name, record.type, record.createdAt,
          record.expiresAt, record.seal?.masterKeyID,
        ])
      try connection.execute(
        "UPDATE long_requests SET file_id = ?, secret = ? WHERE request_number = ?",
        [record.fileID, opening.sealedSecret, opening.number])
    }
    guard let fileID = opening.upload?.record.fileID ?? held, let seal = opening.seal else {
      return true
    }
    try connection.execute(
      "UPDATE uploads SET key_id = ?, file_keys = ?, tail_key = ?, is_dirty = 1 WHERE file_id = ?",
      [seal.masterKeyID, seal.keys, seal.tailKey, fileID])
    return true
  }

  fileprivate func record(_ progress: LongRequestProgress) throws -> Bool {
    guard let fileID = try hold(progress.number, progress.term) else { return false }
    try connection.execute(
      """
      UPDATE long_requests SET position = ?, updated_at = ?, lease_until = ? WHERE request_number = ?
      """, [progress.position, progress.time, progress.end, progress.number])
    guard let part = progress.part, let fileID else { return true }
    let count = try connection.change(
      """
      UPDATE uploads SET durable_bytes = ?, size = ?, expires_at = ?
      WHERE file_id = ? AND stage = 'open'
      """, [part.offset, part.offset, progress.fileEnd, fileID])
    if count > 0, let rest = part.rest {
      try connection.execute(
        "UPDATE uploads SET sealed_tail = ?, is_dirty = ? WHERE file_id = ?",
        [rest.tail, rest.isDirty ? 1 : 0, fileID])
    }
    return count > 0
  }

  fileprivate func end(_ end: LongRequestEnd) throws -> Bool {
    guard let fileID = try hold(end.number, end.term) else { return false }
    let (status, reason): (LongRequestStatus, String) =
      switch end.ending {
      case .done: (.done, "")
      case .failed(let reason): (.failed, reason)
      }
    try connection.execute(
      """
      UPDATE long_requests SET status = ?, error = ?, updated_at = ?, lease_until = 0
      WHERE request_number = ?
      """, [status.rawValue, reason, end.time, end.number])
    guard let fileID else { return true }
    switch end.ending {
    case .done(let fileSize?, let expiry):
      try connection.execute(
        """
        UPDATE uploads SET stage = 'complete', durable_bytes = ?1, size = ?1, claimed_until = 0,
          expires_at = ?2, sealed_tail = NULL, tail_key = NULL WHERE file_id = ?3
        """, [fileSize, expiry, fileID])
      try connection.execute(
        """
        INSERT INTO files (file_id, user_id, name, type, size, created_at, key_id, file_keys)
        SELECT file_id, user_id, name, type, size, ?, key_id, file_keys FROM uploads WHERE file_id = ?
        """, [end.time, fileID])
    case .done(nil, _), .failed:
      try connection.execute(
        """
        UPDATE uploads SET stage = 'cancelled', claimed_until = 0, sealed_tail = NULL WHERE file_id = ?
        """, [fileID])
      try removeFiles([fileID])
    }
    return true
  }
}
