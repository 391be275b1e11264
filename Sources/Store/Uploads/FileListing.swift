import Basics
package import ParleyProtocol
package import Uploads

/// A file as shown to operators.
package struct FileDetails: Sendable, Hashable {
  package var file: FileRecord
  /// The owner of the file; empty for a file of the administrator.
  package var userID: String
  /// Unix milliseconds.
  package var createdAt: Int64
  /// Unix milliseconds, when the file is removed unless a message has it; `nil` for a file that came
  /// with its message.
  package var expiresAt: Int64?
  /// Some of the messages that have the file, with their channels.
  package var messages: [FileHolder]
  package var thumbnails: FileThumbnails
}

/// A message that has a file.
package struct FileHolder: Sendable, Hashable {
  package var messageID: Int64
  package var channelURL: String
}

/// Lists complete files, newest first: all, those of a user, or those of a channel.
///
/// Error: `invalidPageToken`.
package struct FileListing<Encoder: PageEncoder<FileDetails>>: StoreQuery {
  package var userID: String?
  package var channelURL: String?
  package var limit: Int
  package var token: String?
  package var encoder: Encoder

  package init(
    ofUser userID: String? = nil, inChannel channelURL: String? = nil, limit: Int, token: String?,
    as encoder: Encoder
  ) {
    self.userID = userID
    self.channelURL = channelURL
    self.limit = limit
    self.token = token
    self.encoder = encoder
  }

  package var statements: ReadStatements<ListPage<Encoder.Encoded>> {
    .init { transaction in
      let place = try FilePlaceToken(token)
      var range = Condition(
        "(files.created_at < ? OR files.created_at = ? AND files.file_id < ?)",
        [place.time, place.time, place.id])
      if let userID { range.require("files.user_id = ? AND files.user_id <> ''", [userID]) }
      if let channelURL {
        range.require(
          """
          files.file_id IN (SELECT m.file_id FROM file_messages AS m
            JOIN channels AS c ON c.channel_id = m.channel_id WHERE c.url = ?)
          """, [channelURL])
      }
      return try transaction.page(
        """
        SELECT 1, created_at, file_id FROM files WHERE \(range.sql)
        ORDER BY created_at DESC, file_id DESC
        """, range.arguments, limit: limit,
        item: { row, _ in
          guard let details = try transaction.fileDetails(row[2]) else {
            throw StoreError.damaged(path: "the table files", reason: "a row is gone")
          }
          return encoder.encode(details)
        }, token: { FilePlaceToken(time: $0[1], id: $0[2]).text })
    }
  }
}

/// Reads a complete file as shown to operators; `nil` when there is none.
package struct FileDetailsLookup: StoreLookup {
  package var fileID: String

  package init(_ fileID: String) { self.fileID = fileID }

  package var statements: ReadStatements<FileDetails?> { .init { try $0.fileDetails(fileID) } }
}

extension StoreTransaction {
  /// Maximum number of messages listed for one file.
  private static var holderLimit: Int { 20 }

  func fileDetails(_ id: String) throws -> FileDetails? {
    let messages = try connection.all(
      """
      SELECT m.message_id, c.url FROM file_messages AS m
      JOIN channels AS c ON c.channel_id = m.channel_id
      WHERE m.file_id = ? ORDER BY m.channel_id, m.message_id LIMIT ?
      """, [id, Self.holderLimit]
    ) { FileHolder(messageID: $0[0], channelURL: $0[1]) }
    let thumbnails = try thumbnails(of: id)
    return try connection.first(
      """
      SELECT file_id, name, type, size, user_id, created_at,
        (SELECT expires_at FROM uploads WHERE uploads.file_id = files.file_id)
      FROM files WHERE file_id = ?
      """, [id]
    ) { row in
      FileDetails(
        file: FileRecord(id: row[0], name: row[1], type: row[2], size: row[3]), userID: row[4],
        createdAt: row[5], expiresAt: row[6], messages: messages, thumbnails: thumbnails)
    }
  }
}
