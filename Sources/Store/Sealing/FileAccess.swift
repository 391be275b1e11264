package import Channels
package import ParleyProtocol

/// A file with all that decides who may read it.
package struct FileAccess: Sendable, Hashable {
  /// `nil` when there is no such file.
  package var file: FileRecord?
  /// The thumbnail that was asked for in place of the file; encrypted with the file's key, or not yet.
  package var thumbnail: FileRecord?
  /// The user whose file it is; empty for a file of the administrator's.
  package var ownerID: String
  /// The generation of the keys of the user who asks; `nil` unless there is such a user, who is active.
  package var fileKeysSince: Int64?
  /// The channels with a message that has the file; not looked up for its owner.
  package var channels: [FileChannel]
}

/// A channel with a message that has a file, as a user stands to it.
package struct FileChannel: Sendable, Hashable {
  package var url: String
  package var isOperator: Bool
  package var isBanned: Bool
}

/// Finds a file that can be read, or a thumbnail of it, with the rights of a user.
package struct FileAccessLookup: StoreLookup {
  package var fileID: String
  /// The box of the thumbnail; `nil` for the file itself.
  package var bounds: ThumbnailSize?
  package var userID: String
  /// Unix milliseconds.
  package var time: Int64

  package init(
    _ fileID: String, within bounds: ThumbnailSize? = nil, by userID: String, at time: Int64
  ) {
    self.fileID = fileID
    self.bounds = bounds
    self.userID = userID
    self.time = time
  }

  package var statements: ReadStatements<FileAccess> {
    .init { transaction in
      let connection = transaction.connection
      let account = userID.isEmpty ? nil : try transaction.account(userID)
      var access = FileAccess(
        file: try transaction.file(fileID), ownerID: "",
        fileKeysSince: account.flatMap { $0.isActive ? $0.fileKeysSince : nil }, channels: [])
      if let bounds, let file = access.file {
        access.thumbnail = try transaction.thumbnail(of: file, within: bounds)
        if access.thumbnail == nil { access.file = nil }
      }
      guard access.file?.seal != nil, account != nil else { return access }
      access.ownerID =
        try connection.first("SELECT user_id FROM files WHERE file_id = ?", [fileID]) {
          $0[0] as String
        } ?? ""
      if access.ownerID != userID {
        access.channels = try transaction.channels(ofFile: fileID, for: userID, at: time)
      }
      return access
    }
  }
}

extension StoreTransaction {
  /// The channels with a message that has a file.
  ///
  /// Steps from channel to channel in the index, however many messages of each have the file.
  fileprivate func channels(
    ofFile fileID: String, for userID: String, at time: Int64
  ) throws -> [FileChannel] {
    try connection.all(
      """
      WITH RECURSIVE held (channel_id) AS (
        SELECT (SELECT m.channel_id FROM file_messages AS m
          \(.index("file_messages_by_file_channel"))
          WHERE m.file_id = ?1 ORDER BY m.channel_id LIMIT 1)
        UNION ALL
        SELECT (SELECT m.channel_id FROM file_messages AS m
          \(.index("file_messages_by_file_channel"))
          WHERE m.file_id = ?1 AND m.channel_id > held.channel_id
          ORDER BY m.channel_id LIMIT 1)
        FROM held WHERE held.channel_id IS NOT NULL
      )
      SELECT c.url,
        EXISTS (SELECT 1 FROM channel_operators AS o
          WHERE o.channel_id = c.channel_id AND o.user_id = ?2),
        EXISTS (SELECT 1 FROM bans AS b WHERE b.channel_id = c.channel_id AND b.user_id = ?2
          AND b.ends_at > ?3)
      FROM held CROSS JOIN channels AS c WHERE c.channel_id = held.channel_id
      """, [fileID, userID, time]
    ) { FileChannel(url: $0[0], isOperator: $0[1], isBanned: $0[2]) }
  }
}
