import Basics
package import Uploads

/// Lists the uploads of a user that are incomplete, or whose file is in no message, newest first.
///
/// Error: `invalidPageToken`.
package struct UploadListing<Encoder: PageEncoder<UploadRecord>>: StoreQuery {
  package var userID: String
  package var limit: Int
  package var token: String?
  /// Unix milliseconds.
  package var time: Int64
  package var encoder: Encoder

  package init(
    of userID: String, limit: Int, token: String?, at time: Int64, as encoder: Encoder
  ) {
    self.userID = userID
    self.limit = limit
    self.token = token
    self.time = time
    self.encoder = encoder
  }

  package var statements: ReadStatements<ListPage<Encoder.Encoded>> {
    .init { transaction in
      let place = try FilePlaceToken(token)
      return try transaction.page(
        """
        SELECT CASE WHEN stage IN ('open', 'complete') AND expires_at > ?
          AND NOT EXISTS (SELECT 1 FROM file_messages AS m WHERE m.file_id = uploads.file_id)
          THEN 1 ELSE 0 END, created_at, file_id
        FROM uploads \(.index("uploads_by_user"))
        WHERE user_id = ? AND (created_at < ? OR created_at = ? AND file_id < ?)
        ORDER BY created_at DESC, file_id DESC
        """, [time, userID, place.time, place.time, place.id], limit: limit,
        item: { row, _ in
          guard let record = try transaction.upload(row[2]) else {
            throw StoreError.damaged(path: "the table uploads", reason: "a row is gone")
          }
          return encoder.encode(record)
        }, token: { FilePlaceToken(time: $0[1], id: $0[2]).text })
    }
  }
}

/// Finds some of the complete uploads whose message has been neither sent nor refused, in the order of
/// their ids.
package struct UnsentUploads: StoreLookup {
  package var last: String
  package var limit: Int

  package init(after last: String = "", limit: Int = 100) {
    self.last = last
    self.limit = limit
  }

  package var statements: ReadStatements<[UploadRecord]> {
    .init { transaction in
      try transaction.connection.all(
        """
        SELECT \(UploadRecord.columns) FROM uploads \(.index("uploads_with_message"))
        WHERE stage = 'complete' AND message IS NOT NULL AND message_id IS NULL
          AND message_error IS NULL AND file_id > ?
        ORDER BY file_id LIMIT ?
        """, [last, limit], UploadRecord.init(row:))
    }
  }
}

/// The position where a page of a list of files ends.
struct FilePlaceToken {
  var time: Int64
  var id: String

  init(time: Int64, id: String) {
    self.time = time
    self.id = id
  }

  /// - Throws: `StoreError.invalidPageToken`. Without a token, the list starts at its beginning.
  init(_ token: String?) throws {
    guard let token, !token.isEmpty else {
      (time, id) = (.max, "")
      return
    }
    let parts = token.split(separator: "-")
    guard parts.count == 2, let time = Int64(parts[0]), FileID.isValid(String(parts[1])) else {
      throw StoreError.invalidPageToken
    }
    (self.time, id) = (time, String(parts[1]))
  }

  var text: String { "\(time)-\(id)" }
}
