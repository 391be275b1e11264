import Channels
package import ParleyProtocol

/// Stores messages of another system in a channel, in the order of their times, before, between or after those
/// that it has.
///
/// Imported messages are not events: they have no number in the count of the channel, so that recoveries never
/// include them. In a group they are silent: no member counts them as unread. Positions of members do not move.
/// All messages are stored, or none.
///
/// Imports of all servers are carried out one after the other. Error: `notFound(.channel)`.
package struct MessagesImport: StoreWrite {
  /// A message with the lowest id that it may have.
  package struct Item: Sendable {
    package var message: MigratedMessage
    /// The id of a recent message, which no other server assigns; `nil` to choose one by the time.
    package var id: Int64?

    package init(_ message: MigratedMessage, id: Int64? = nil) {
      self.message = message
      self.id = id
    }
  }

  package enum Outcome: Sendable, Hashable {
    /// - Parameter ids: The ids of the messages in the order given; of one that was imported before, its former
    ///   id, even if the message was deleted since.
    case imported(count: Int, ids: [Int64])
    /// Nothing was stored, because the author of a message does not exist.
    case unknownUser(index: Int)
  }

  /// The store's own number of the channel.
  package var channelID: Int64
  package var items: [Item]

  package init(_ items: [Item], into channelID: Int64) {
    self.items = items
    self.channelID = channelID
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Outcome> { .init { try $0.importMessages(self) } }
}

extension WriteTransaction {
  fileprivate func importMessages(_ batch: MessagesImport) throws -> MessagesImport.Outcome {
    // Before anything is read, so that imports with the same ids or users do not overlap.
    try connection.execute(Self.importLock)
    let messages = batch.items.map(\.message)
    let users = try users(
      Set(messages.flatMap { $0.draft.mentionedUserIDs + ($0.userID.map { [$0] } ?? []) }))
    if let index = messages.firstIndex(where: { $0.userID.map { users[$0] == nil } ?? false }) {
      return .unknownUser(index: index)
    }
    var ids = [Int64](repeating: 0, count: messages.count)
    let new = try newMessages(among: batch, known: &ids)
    if !new.isEmpty {
      try store(new.map { batch.items[$0] }, channelID: batch.channelID, users) { place, id in
        ids[new[place]] = id
      }
    }
    // Later ones of the same import refer to the first.
    var first: [ExactText: Int64] = [:]
    for (index, message) in messages.enumerated() {
      guard let dedupID = message.dedupID.map(ExactText.init) else { continue }
      if ids[index] == 0 { ids[index] = first[dedupID] ?? 0 } else { first[dedupID] = ids[index] }
    }
    return .imported(count: new.count, ids: ids)
  }

  /// The places of the messages that were not imported before, in the order of time.
  ///
  /// - Parameter ids: Receives the ids of the others.
  private func newMessages(among batch: MessagesImport, known ids: inout [Int64]) throws -> [Int] {
    let names = batch.items.compactMap(\.message.dedupID)
    let rows =
      try names.isEmpty
      ? []
      : connection.all(
        "SELECT dedup_id, message_id FROM imports WHERE channel_id = ? AND dedup_id \(.isAnyOf)",
        [batch.channelID, StoreValue.texts(names)]
      ) { (ExactText($0[0]), $0[1] as Int64) }
    let known = Dictionary(rows) { first, _ in first }
    var seen: Set<ExactText> = []
    let new = batch.items.indices.filter { index in
      guard let name = batch.items[index].message.dedupID.map(ExactText.init) else { return true }
      guard known[name] == nil else {
        ids[index] = known[name] ?? 0
        return false
      }
      return seen.insert(name).inserted
    }
    return new.sorted {
      (batch.items[$0].message.createdAt, $0) < (batch.items[$1].message.createdAt, $1)
    }
  }

  private func store(
    _ items: [MessagesImport.Item], channelID: Int64, _ users: [String: User],
    _ note: (Int, Int64) -> Void
  ) throws {
    let isGroup = try connection.first(
      "SELECT is_group FROM channels WHERE channel_id = ?", [channelID]
    ) { $0[0] as Bool }
    guard let isGroup else { throw StoreError.notFound(.channel) }
    let ids = try freeIDs(for: items, channelID: channelID)
    for (place, id) in ids.enumerated() {
      let message = items[place].message
      try connection.executeLater(
        Self.insertion,
        Self.values(of: message, id, channelID: channelID, ordinal: isGroup ? 0 : nil, users))
      if let dedupID = message.dedupID {
        try connection.executeLater(
          "INSERT INTO imports (channel_id, dedup_id, message_id) VALUES (?, ?, ?)",
          [channelID, dedupID, id])
      }
      note(place, id)
    }
    let count = try connection.change(
      """
      UPDATE channels SET message_count = message_count + ?1,
        last_created_at = \(.greater("last_created_at", "?2")),
        active_at = CASE WHEN is_group = 0 AND active_at < ?2 THEN ?2 ELSE active_at END,
        changed_at = CASE WHEN is_group = 1 THEN \(.nextChange) ELSE changed_at END
      WHERE channel_id = ?3
      """, [items.count, items.last?.message.createdAt ?? 0, channelID])
    // A channel that was deleted meanwhile.
    guard count > 0 else { throw StoreError.notFound(.channel) }
    try indexImported(ids)
  }

  /// Ids that no message has, and no deleted one of the channel had, in the order of the messages.
  private func freeIDs(for items: [MessagesImport.Item], channelID: Int64) throws -> [Int64] {
    var choice = ImportedMessageIDs(
      from: items.map { $0.id ?? ImportedMessageIDs.first(at: $0.message.createdAt) })
    while true {
      let ids = choice.ids
      let value = StoreValue.integers(ids)
      let taken = try connection.all(
        """
        SELECT message_id FROM messages \(.primaryKey) WHERE message_id \(.isAnyOf)
        UNION SELECT message_id FROM message_changes
        WHERE channel_id = ? AND message_id \(.isAnyOf)
        """, [value, channelID, value]
      ) { $0[0] as Int64 }
      guard let first = taken.min() else { return ids }
      // Others that follow closely, so that many messages of one moment take few rounds.
      let following = try connection.all(
        """
        SELECT message_id FROM messages \(.primaryKey) WHERE message_id >= ?
        ORDER BY message_id LIMIT 1000
        """, [first]
      ) { $0[0] as Int64 }
      choice.exclude(taken)
      choice.exclude(following)
    }
  }

  private static func values(
    of message: MigratedMessage, _ id: Int64, channelID: Int64, ordinal: Int64?,
    _ users: [String: User]
  ) -> StoreArguments {
    let draft = message.draft
    let mentionedIDs = draft.mentionedUserIDs.filter { users[$0] != nil }
    return [
      channelID, ImportedMessageIDs.seq(of: id), id, draft.type.rawValue, message.userID,
      draft.text,
      draft.data, draft.customType, draft.mentionType.rawValue,
      StoredJSON.encodeUnlessEmpty(mentionedIDs),
      StoredJSON.encodeUnlessEmpty(draft.metaArrays.map(StoredMetaArray.init)), message.createdAt,
      draft.file.map { StoredJSON.encode(StoredFile($0, nil)) }, ordinal,
    ]
  }

  /// The messages count in no flood window and are not pushed.
  private static let insertion: StoreStatement = """
    INSERT INTO messages (channel_id, seq, message_id, type, user_id, text, data, custom_type,
      mention_type, mentioned_users, metaarray, created_at, file, ordinal, is_operator, flood_exempt)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 1)
    """

  /// "Parley" followed by a number; SQLite has one writer.
  private static let importLock = StoreStatement(
    sqlite: "SELECT 1", postgreSQL: "SELECT pg_advisory_xact_lock(\(0x5061_726C_6579_0010))")
}
