package import Uploads

/// Gives a request the exclusive right to write to an upload, if its record is unchanged since the read.
///
/// Outcome: the term of the claim; `nil` when the record has changed.
package struct UploadClaim: StoreWrite {
  package var record: UploadRecord
  /// The offset from which the request writes.
  package var offset: Int64
  /// Unix milliseconds until which the claim is valid.
  package var end: Int64
  /// The keys with which an encrypted file is written from now on.
  package var seal: UploadSeal?

  package init(
    _ record: UploadRecord, from offset: Int64, until end: Int64, sealedBy seal: UploadSeal? = nil
  ) {
    self.record = record
    self.offset = offset
    self.end = end
    self.seal = seal
  }

  package var urgency: WriteUrgency { .aside }

  package var statements: WriteStatements<Int64?> {
    .init { transaction in
      let count = try transaction.connection.change(
        """
        UPDATE uploads SET term = term + 1, claimed_until = ?, durable_bytes = ?
        WHERE file_id = ? AND stage = 'open' AND term = ? AND durable_bytes = ?
          AND claimed_until = ? AND expires_at = ?
        """,
        [
          end, offset, record.fileID, record.term, record.offset, record.claimedUntil,
          record.expiresAt,
        ])
      guard count > 0 else { return nil }
      if let seal {
        // No chunk is sealed before its key is stored, and it is unknown which chunk will be the last.
        try transaction.connection.execute(
          """
          UPDATE uploads SET key_id = ?, file_keys = ?, tail_key = ?, is_dirty = 1
          WHERE file_id = ?
          """, [seal.masterKeyID, seal.keys, seal.tailKey, record.fileID])
      }
      return record.term + 1
    }
  }
}

/// Records how many bytes of an upload are durable.
///
/// Outcome: whether the claim is still valid; otherwise nothing changes.
package struct UploadProgress: StoreWrite {
  package var fileID: String
  package var term: Int64
  package var offset: Int64
  /// Unix milliseconds until which the claim is valid; 0 ends it.
  package var end: Int64
  /// The rest of an encrypted file at the offset; `nil` keeps the recorded one.
  package var rest: UploadRest?

  package init(
    _ fileID: String, term: Int64, offset: Int64, until end: Int64, rest: UploadRest? = nil
  ) {
    self.rest = rest
    self.fileID = fileID
    self.term = term
    self.offset = offset
    self.end = end
  }

  package var urgency: WriteUrgency { .aside }

  package var statements: WriteStatements<Bool> {
    .init { transaction in
      let count = try transaction.connection.change(
        """
        UPDATE uploads SET durable_bytes = ?, claimed_until = ?
        WHERE file_id = ? AND term = ? AND stage = 'open'
        """, [offset, end, fileID, term])
      if count > 0, let rest {
        try transaction.connection.execute(
          "UPDATE uploads SET sealed_tail = ?, is_dirty = ? WHERE file_id = ?",
          [rest.tail, rest.isDirty ? 1 : 0, fileID])
      }
      return count > 0
    }
  }
}

/// Renews the claim of a request that writes to an upload.
///
/// Outcome: whether the claim is still valid; otherwise nothing changes. No claim is valid on an expired
/// upload, such as that of a deleted user.
package struct UploadRenewal: StoreWrite {
  package var fileID: String
  package var term: Int64
  /// Unix milliseconds until which the claim is valid.
  package var end: Int64
  /// Unix milliseconds.
  package var time: Int64

  package init(_ fileID: String, term: Int64, until end: Int64, at time: Int64) {
    self.fileID = fileID
    self.term = term
    self.end = end
    self.time = time
  }

  package var urgency: WriteUrgency { .aside }

  package var statements: WriteStatements<Bool> {
    .init { transaction in
      try transaction.connection.change(
        """
        UPDATE uploads SET claimed_until = ?
        WHERE file_id = ? AND term = ? AND stage = 'open' AND expires_at > ?
        """, [end, fileID, term, time]) > 0
    }
  }
}

/// The bytes of an encrypted upload that do not fill a chunk.
package struct UploadRest: Sendable, Hashable {
  /// Encrypted; `nil` for none.
  package var tail: [UInt8]?
  /// Whether chunks after them may have been sealed.
  package var isDirty: Bool

  package init(tail: [UInt8]?, isDirty: Bool) {
    self.tail = tail
    self.isDirty = isDirty
  }
}

/// Records that an upload is complete: from now on it is a file of its user.
///
/// Outcome: whether the claim was still valid; otherwise the file is removed, by the sweep if the upload
/// has expired.
package struct UploadCompletion: StoreWrite {
  package var record: UploadRecord
  /// Unix milliseconds.
  package var time: Int64
  /// Unix milliseconds, the first moment at which it is removed unless a message has it.
  package var expiresAt: Int64

  package init(_ record: UploadRecord, at time: Int64, expiresAt: Int64) {
    self.record = record
    self.time = time
    self.expiresAt = expiresAt
  }

  package var statements: WriteStatements<Bool> {
    .init { transaction in
      let count = try transaction.connection.change(
        """
        UPDATE uploads SET stage = 'complete', durable_bytes = size, claimed_until = 0,
          expires_at = ?, sealed_tail = NULL, tail_key = NULL
        WHERE file_id = ? AND term = ? AND stage = 'open' AND expires_at > ?
        """, [expiresAt, record.fileID, record.term, time])
      guard count > 0 else {
        let stage = try transaction.upload(record.fileID)?.stage
        // Another request that continues it has moved the file back, or the sweep will remove it.
        if stage != .open, stage != .complete { try transaction.removeFiles([record.fileID]) }
        return false
      }
      try transaction.connection.execute(
        """
        INSERT INTO files (file_id, user_id, name, type, size, created_at, key_id, file_keys)
        SELECT file_id, user_id, name, type, size, ?, key_id, file_keys
        FROM uploads WHERE file_id = ?
        """, [time, record.fileID])
      return true
    }
  }
}

/// Ends all claims: those of processes that have ended, when no other server has any.
package struct UploadRelease: StoreWrite {
  package init() {}

  package var statements: WriteStatements<Void> {
    .init { transaction in
      try transaction.connection.execute(
        "UPDATE uploads SET claimed_until = 0 WHERE stage = 'open' AND claimed_until <> 0")
    }
  }
}

/// Records the result of the message that an upload was to send.
package struct UploadMessageResult: StoreWrite {
  package var fileID: String
  package var messageID: Int64?
  /// The result of the send, as JSON.
  package var result: String?
  /// The error as JSON.
  package var error: String?

  package init(_ fileID: String, messageID: Int64, result: String) {
    self.fileID = fileID
    self.messageID = messageID
    self.result = result
  }

  package init(_ fileID: String, error: String) {
    self.fileID = fileID
    self.error = error
  }

  package var urgency: WriteUrgency { .aside }

  package var statements: WriteStatements<Void> {
    .init { transaction in
      try transaction.connection.execute(
        """
        UPDATE uploads SET message_id = ?, message_result = ?, message_error = ?
        WHERE file_id = ? AND message_id IS NULL AND message_error IS NULL
        """, [messageID, result, error, fileID])
    }
  }
}

/// Releases a complete file for use as the picture of a channel or a user: from now on the address in
/// their rows keeps the file.
///
/// Outcome: whether the file exists.
package struct PictureClaim: StoreWrite {
  package var fileID: String

  package init(_ fileID: String) { self.fileID = fileID }

  package var statements: WriteStatements<Bool> {
    .init { transaction in
      try transaction.connection.change(
        "UPDATE files SET is_picture = 1 WHERE file_id = ? AND key_id IS NULL", [fileID]) > 0
    }
  }
}

/// Revokes the release of a file for use as a picture, unless a channel or a user uses it as one.
package struct PictureRelease: StoreWrite {
  package var fileID: String

  package init(_ fileID: String) { self.fileID = fileID }

  package var statements: WriteStatements<Void> {
    .init { transaction in
      try transaction.connection.execute(
        """
        UPDATE files SET is_picture = 0 WHERE file_id = ?
          AND NOT EXISTS (SELECT 1 FROM file_pictures WHERE file_pictures.file_id = files.file_id)
        """, [fileID])
    }
  }
}
