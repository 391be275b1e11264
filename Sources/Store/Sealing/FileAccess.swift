package import ParleyProtocol
package import Uploads

/// A file, and the facts about it and a user that are found by their keys alone.
package struct FileAccess: Sendable, Hashable {
  /// `nil` when the file does not exist.
  package var file: FileRecord?
  /// The requested thumbnail of the file; encrypted with the file's key, or not yet.
  package var thumbnail: FileRecord?
  /// The owner of the file; empty for a file of the administrator.
  package var ownerID: String
  /// The generation of the keys of the requesting user; `nil` unless the user exists and is active.
  package var fileKeysSince: Int64?
}

/// Finds a readable file, or a thumbnail of it, and the keys of the requesting user.
package struct FileAccessLookup: StoreLookup {
  package var fileID: String
  /// The bounding box of the thumbnail; `nil` for the file itself.
  package var bounds: ThumbnailSize?
  package var userID: String

  package init(_ fileID: String, within bounds: ThumbnailSize? = nil, by userID: String) {
    self.fileID = fileID
    self.bounds = bounds
    self.userID = userID
  }

  package var statements: ReadStatements<FileAccess> {
    .init { transaction in
      let account = userID.isEmpty ? nil : try transaction.account(userID)
      var access = FileAccess(
        file: try transaction.file(fileID), ownerID: "",
        fileKeysSince: account.flatMap { $0.isActive ? $0.fileKeysSince : nil })
      if let bounds, let file = access.file {
        access.thumbnail = try transaction.thumbnail(of: file, within: bounds)
        if access.thumbnail == nil { access.file = nil }
      }
      guard access.file?.seal != nil, access.fileKeysSince != nil else { return access }
      access.ownerID =
        try transaction.connection.first(
          "SELECT user_id FROM files WHERE file_id = ?", [fileID]
        ) { $0[0] as String } ?? ""
      return access
    }
  }
}

/// A user's right to a file, derived from the channels with a message that has the file.
package enum FileRight: Sendable, Hashable {
  /// The user is in one of the open channels or an operator of it, and not banned there, or is a joined
  /// member of one of the groups and may read a message that has the file.
  case granted
  /// The user is banned in one of the open channels, and has no right through another.
  case banned(channelURL: String)
  case absent
}

/// Determines whether a user other than the owner may read a file.
///
/// The few channels of the user are looked up among those of the file. Only if the user is in none of
/// them are the file's own channels examined, of which there are up to ``Limits/fileChannelCount``: to
/// find operators and members of groups, and to name a ban.
package struct FileRightLookup: StoreLookup {
  package var fileID: String
  package var userID: String
  /// The open channels that the user is in.
  package var channelURLs: [String]
  /// Unix milliseconds.
  package var time: Int64

  package init(_ fileID: String, by userID: String, in channelURLs: [String], at time: Int64) {
    self.fileID = fileID
    self.userID = userID
    self.channelURLs = channelURLs
    self.time = time
  }

  package var statements: ReadStatements<FileRight> {
    .init { transaction in
      let own = try transaction.channels(channelURLs, ofFile: fileID, for: userID, at: time)
      if own.contains(where: { !$0.isBanned }) { return .granted }
      let others = try transaction.notableChannels(ofFile: fileID, for: userID, at: time)
      if others.contains(where: { $0.isMember || $0.isOperator && !$0.isBanned }) {
        return .granted
      }
      return (own + others).first { $0.isBanned }.map { .banned(channelURL: $0.url) } ?? .absent
    }
  }
}

/// A channel with a message that has a file, and the user's status in it.
private struct FileChannel {
  var url: String
  var isOperator = false
  var isBanned: Bool
  /// Whether the channel is a group with a joined member who may read a message that has the file.
  var isMember = false
}

/// The channels with a message that has the file ?1, at most ?2 of them.
///
/// Moves from channel to channel in the index, however many messages of each have the file.
private let heldChannels: StoreStatement = """
  WITH RECURSIVE held (channel_id, number) AS (
    SELECT (SELECT m.channel_id FROM file_messages AS m
      \(.index("file_messages_by_file_channel"))
      WHERE m.file_id = ?1 ORDER BY m.channel_id LIMIT 1), 1
    UNION ALL
    SELECT (SELECT m.channel_id FROM file_messages AS m
      \(.index("file_messages_by_file_channel"))
      WHERE m.file_id = ?1 AND m.channel_id > held.channel_id
      ORDER BY m.channel_id LIMIT 1), held.number + 1
    FROM held WHERE held.channel_id IS NOT NULL AND held.number < ?2
  )
  """

extension StoreTransaction {
  /// The given channels that have a message with the file.
  fileprivate func channels(
    _ urls: [String], ofFile fileID: String, for userID: String, at time: Int64
  ) throws -> [FileChannel] {
    guard !urls.isEmpty else { return [] }
    return try connection.all(
      """
      SELECT c.url, EXISTS (SELECT 1 FROM bans AS b WHERE b.channel_id = c.channel_id
          AND b.user_id = ? AND b.ends_at > ?)
      FROM channels AS c WHERE c.url \(.isAnyOf) AND c.is_group = 0 AND EXISTS (
        SELECT 1 FROM file_messages AS m \(.index("file_messages_by_file_channel"))
        WHERE m.file_id = ? AND m.channel_id = c.channel_id)
      """, [userID, time, StoreValue.texts(urls), fileID]
    ) { FileChannel(url: $0[0], isBanned: $0[1]) }
  }

  /// The open channels of a file in which the user is an operator or banned, and the groups with a message
  /// with the file that the user may read.
  ///
  /// The last message with the file decides, because ids and times grow together in a channel. A message
  /// that an ephemeral group did not store has no time: its file is for all who have joined.
  fileprivate func notableChannels(
    ofFile fileID: String, for userID: String, at time: Int64
  ) throws -> [FileChannel] {
    try connection.all(
      """
      \(heldChannels), notable (channel_id, is_operator, is_banned, is_member) AS (
        SELECT channel_id,
          EXISTS (SELECT 1 FROM channel_operators AS o
            WHERE o.channel_id = held.channel_id AND o.user_id = ?3),
          EXISTS (SELECT 1 FROM bans AS b WHERE b.channel_id = held.channel_id
            AND b.user_id = ?3 AND b.ends_at > ?4),
          EXISTS (SELECT 1 FROM members AS g
            WHERE g.channel_id = held.channel_id AND g.user_id = ?3 AND g.state = ?5
              AND g.visible_from <= coalesce((
                SELECT created_at FROM messages WHERE message_id = (
                  SELECT m.message_id FROM file_messages AS m
                    \(.index("file_messages_by_file_channel"))
                  WHERE m.file_id = ?1 AND m.channel_id = g.channel_id
                  ORDER BY m.message_id DESC LIMIT 1)), g.visible_from))
        FROM held
      )
      SELECT c.url, n.is_operator, n.is_banned, n.is_member
      FROM notable AS n CROSS JOIN channels AS c
      WHERE (n.is_member OR (n.is_operator OR n.is_banned) AND c.is_group = 0)
        AND c.channel_id = n.channel_id
      """, [fileID, Limits.fileChannelCount, userID, time, MemberState.joined.stored]
    ) { FileChannel(url: $0[0], isOperator: $0[1], isBanned: $0[2], isMember: $0[3]) }
  }

  /// The given files that have reached the limit of channels and are not in this one.
  fileprivate func widespread(_ fileIDs: [String], besides url: String) throws -> Set<String> {
    var found: Set<String> = []
    for id in fileIDs {
      let isFull = try connection.first(
        """
        \(heldChannels)
        SELECT count(*) >= ?2 AND NOT EXISTS (
          SELECT 1 FROM file_messages AS m \(.index("file_messages_by_file_channel"))
          WHERE m.file_id = ?1
            AND m.channel_id = (SELECT channel_id FROM channels WHERE url = ?3))
        FROM held WHERE channel_id IS NOT NULL
        """, [id, Limits.fileChannelCount, url]
      ) { $0[0] as Bool }
      if isFull == true { found.insert(id) }
    }
    return found
  }
}

/// Finds uploads of a user for sending to a channel, with their thumbnails.
package struct FilesToSendLookup: StoreLookup {
  package struct Outcome: Sendable {
    package var records: [String: UploadRecord]
    /// The uploads that are in ``Limits/fileChannelCount`` other channels.
    package var widespread: Set<String>
  }

  package var fileIDs: [String]
  package var userID: String
  package var channelURL: String

  package init(_ fileIDs: [String], of userID: String, to channelURL: String) {
    self.fileIDs = fileIDs
    self.userID = userID
    self.channelURL = channelURL
  }

  package var statements: ReadStatements<Outcome> {
    .init { transaction in
      let records = try UploadsLookup(fileIDs).statements.run(transaction)
      let own = records.values.filter { $0.userID == userID && $0.stage == .complete }
      return Outcome(
        records: records,
        widespread: try transaction.widespread(own.map(\.fileID), besides: channelURL))
    }
  }
}
