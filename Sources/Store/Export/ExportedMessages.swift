import Channels
import ParleyProtocol

/// Reads some messages for an export: of all channels in the order of their ids, or of the named channels
/// one after another.
package struct ExportedMessages<Encoder: ExportEncoder<FoundMessage>>: StoreQuery {
  package var filter: ExportFilter
  /// `nil` to begin, which takes the newest message as the bound.
  package var position: ExportPosition?
  package var size: ExportPageSize
  package var encoder: Encoder

  package init(
    _ filter: ExportFilter, after position: ExportPosition?,
    size: ExportPageSize = ExportPageSize(),
    as encoder: Encoder
  ) {
    self.filter = filter
    self.position = position
    self.size = size
    self.encoder = encoder
  }

  package var statements: ReadStatements<ExportPage> {
    .init { transaction in
      var reading = try MessageExport(transaction, self)
      return try reading.read()
    }
  }
}

/// The reading of one page.
private struct MessageExport<Encoder: ExportEncoder<FoundMessage>> {
  /// Rows that are decoded together.
  private static var blockSize: Int { 200 }
  /// Users that are kept for the next blocks.
  private static var userLimit: Int { 1_000 }

  private let transaction: any StoreTransaction
  private let export: ExportedMessages<Encoder>
  private let rows: Condition
  private var page: ExportPage
  private var block: [(channelID: Int64, message: StoredMessage)] = []
  private var users: [String: User] = [:]
  private var deactivatedIDs: Set<String> = []
  /// URLs of channels; `nil` for a deleted one, whose messages are left out.
  private var urls: [Int64: String?] = [:]
  private var operatorIDs: [Int64: Set<String>] = [:]

  init(_ transaction: any StoreTransaction, _ export: ExportedMessages<Encoder>) throws {
    self.transaction = transaction
    self.export = export
    rows = try transaction.condition(on: export.filter)
    page = ExportPage(
      position: try export.position ?? ExportPosition(bound: transaction.maximumMessageID()))
  }

  mutating func read() throws -> ExportPage {
    let channelURLs = export.filter.channelURLs
    if channelURLs.isEmpty {
      let position = page.position
      page.isLast = try scan(
        """
        SELECT \(rows.flag), created_at, channel_id, \(StoredMessage.columns) FROM messages \(.primaryKey)
        WHERE message_id > ? AND message_id <= ? ORDER BY message_id
        """, rows.arguments + [position.number, position.bound])
      return page
    }
    while page.position.channel < channelURLs.count {
      guard try readChannel(channelURLs[page.position.channel]) else { return page }
      page.position.channel += 1
      (page.position.time, page.position.number) = (-1, 0)
    }
    page.isLast = true
    return page
  }

  /// - Returns: Whether all rows of the channel were read.
  private mutating func readChannel(_ url: String) throws -> Bool {
    let id = try transaction.connection.first(
      "SELECT channel_id FROM channels WHERE url = ?", [url]
    ) { $0[0] as Int64 }
    guard let id else { return true }
    let position = page.position
    return try scan(
      """
      SELECT \(rows.flag), created_at, channel_id, \(StoredMessage.columns)
      FROM messages \(.index("messages_by_time"))
      WHERE channel_id = ? AND (created_at, message_id) > (?, ?) AND created_at <= ?
      ORDER BY created_at, message_id
      """,
      rows.arguments + [id, position.time, position.number, export.filter.end ?? .max])
  }

  /// - Returns: Whether all rows were read.
  private mutating func scan(_ sql: StoreStatement, _ arguments: StoreArguments) throws -> Bool {
    let found = try transaction.connection.scan(sql, arguments)
    while let row = try found.next() {
      let (time, id): (Int64, Int64) = (row[1], row[4])
      // Messages that came after the beginning, in the order of a channel's times.
      let isMatch = row[0] as Bool && id <= page.position.bound
      if isMatch {
        let fileURL = transaction.connection.fileURL
        let message = try StoredMessage(row: row, channelURL: "", fileURL: fileURL, from: 3)
        block.append((row[2], message))
      }
      (page.position.time, page.position.number) = (time, id)
      let isOver = transaction.time?.isOverAfterRow() == true
      guard block.count >= Self.blockSize || isOver else { continue }
      try encodeBlock()
      if isOver || export.size.isReached(by: page) { return false }
    }
    try encodeBlock()
    return true
  }

  private mutating func encodeBlock() throws {
    guard !block.isEmpty else { return }
    try meetUsers()
    try meetChannels()
    for (channelID, stored) in block {
      guard let url = urls[channelID] ?? nil else { continue }
      var message = stored.sequenced(users).message
      message.channelURL = url
      let hidden = deactivatedIDs.isEmpty ? [] : deactivatedIDs.intersection(message.userIDs)
      export.encoder.append(
        FoundMessage(
          listed: ListedMessage(message: message, deactivatedIDs: hidden),
          operatorIDs: operatorIDs[channelID] ?? []), to: &page.bytes)
      page.rowCount += 1
    }
    block.removeAll(keepingCapacity: true)
  }

  private mutating func meetUsers() throws {
    if users.count > Self.userLimit {
      users.removeAll()
      deactivatedIDs.removeAll()
    }
    var missing = Set<String>()
    for (_, message) in block {
      if let id = message.userID, users[id] == nil { missing.insert(id) }
      for id in message.mentionedIDs where users[id] == nil { missing.insert(id) }
    }
    guard !missing.isEmpty else { return }
    for listed in try transaction.listedUsers(missing) {
      users[listed.user.id] = listed.user
      if !listed.isActive { deactivatedIDs.insert(listed.user.id) }
    }
  }

  private mutating func meetChannels() throws {
    let ids = Set(block.map(\.channelID)).filter { urls[$0] == nil }
    guard !ids.isEmpty else { return }
    for id in ids { urls[id] = .some(nil) }
    let (connection, numbers) = (transaction.connection, StoreValue.integers(Array(ids)))
    let found = try connection.all(
      "SELECT channel_id, url FROM channels WHERE channel_id \(.isAnyOf)", [numbers]
    ) { (id: $0[0] as Int64, url: $0[1] as String) }
    for channel in found { urls[channel.id] = channel.url }
    let operators = try connection.all(
      "SELECT channel_id, user_id FROM channel_operators WHERE channel_id \(.isAnyOf)", [numbers]
    ) { (channelID: $0[0] as Int64, userID: $0[1] as String) }
    for one in operators { operatorIDs[one.channelID, default: []].insert(one.userID) }
  }
}

extension StoreTransaction {
  /// The condition on the messages that an export writes.
  fileprivate func condition(on filter: ExportFilter) throws -> Condition {
    var condition = filter.times("created_at")
    condition.require("user_id", isAnyOf: filter.senderIDs)
    if !filter.excludedSenderIDs.isEmpty {
      condition.require(
        "(user_id IS NULL OR user_id \(.isNoneOf))", [StoreValue.texts(filter.excludedSenderIDs)])
    }
    if let id = filter.namedUserID {
      condition.require(
        "(user_id = ? OR (mentioned_users IS NOT NULL AND \(.contains("mentioned_users"))))",
        [id, StoredJSON.encode(id)])
    }
    if !filter.excludedChannelURLs.isEmpty {
      let ids = try connection.all(
        "SELECT channel_id FROM channels WHERE url \(.isAnyOf)",
        [StoreValue.texts(filter.excludedChannelURLs)]
      ) { $0[0] as Int64 }
      condition.require("channel_id \(.isNoneOf)", [StoreValue.integers(ids)])
    }
    return condition
  }
}
