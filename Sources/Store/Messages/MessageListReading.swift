import Channels
import ParleyProtocol

/// Messages on one side of an anchor, the nearest first.
struct MessageStretch<Value> {
  var items: [Value] = []
  /// The ids of the first and the last message that was examined, whether it matches or not.
  var first: Int64?
  var last: Int64?
  /// Whether no matching messages remain on this side.
  var isComplete = true

  mutating func pass(_ id: Int64) {
    if first == nil { first = id }
    last = id
  }
}

/// Reads the ranges of one page, which share its bytes and time.
struct MessageListReading<Value> {
  enum Direction: String {
    case backward = "DESC"
    case forward = "ASC"
  }

  private let transaction: any StoreTransaction
  private let query: MessageQuery
  private let channelURL: String
  private let item: (ListedMessage) throws -> PageItem<Value>
  private var room = PageRoom.answer
  private var stored = ReadAhead<Int64, StoredMessage>()
  /// Users that were read; not many, since a profile may be large.
  private var users: [String: ListedUser] = [:]
  /// Users that were looked up and do not exist.
  private var goneIDs: Set<String> = []

  private static var userLimit: Int { 128 }

  init(
    transaction: any StoreTransaction, query: MessageQuery, channelURL: String,
    item: @escaping (ListedMessage) throws -> PageItem<Value>
  ) {
    self.transaction = transaction
    self.query = query
    self.channelURL = channelURL
    self.item = item
  }

  /// Reads up to `limit` messages of a range, and determines whether another one follows.
  mutating func read(
    _ range: Condition, _ direction: Direction, limit: Int
  ) throws -> MessageStretch<Value> {
    var stretch = MessageStretch<Value>()
    // A requested side advances by at least one row.
    guard limit > 0 || transaction.time?.isOver != true else {
      stretch.isComplete = false
      return stretch
    }
    let (index, required, filter) = query.way
    var condition = Condition("channel_id = ?", [query.channelID])
    condition.require(range.sql, range.arguments)
    if !required.isEmpty { condition.require(required.sql, required.arguments) }
    let limit = min(max(limit, 0), 200)
    // Reads columns of the index first, and the message only if it matches: its text may be long.
    let end = try transaction.scan(
      """
      SELECT \(filter.flag), message_id FROM messages \(index.clause) WHERE \(condition.sql)
      ORDER BY created_at \(direction.rawValue), message_id \(direction.rawValue)
      """, filter.arguments + condition.arguments
    ) { row, rows in
      let id: Int64 = row[1]
      guard row[0] as Bool else {
        stretch.pass(id)
        return .passed
      }
      guard stretch.items.count < limit else { return .stop }
      let upcoming = UpcomingRows(rows, limit: limit - stretch.items.count - 1)
      let made = try item(try message(id, upcoming))
      guard room.admit(byteCount: made.byteCount) else { return .stop }
      stretch.items.append(made.value)
      stretch.pass(id)
      return .taken
    }
    stretch.isComplete = end == .exhausted
    return stretch
  }

  private mutating func message(
    _ id: Int64, _ upcoming: UpcomingRows
  ) throws -> ListedMessage {
    var found = stored.take(id)
    if found == nil {
      let block = try messages([id] + upcoming.values(1))
      try meet(block)
      stored.fill(Dictionary(block.map { ($0.message.id, $0) }) { first, _ in first })
      found = stored.take(id)
    }
    guard let found else { throw StoreError.notFound(.message) }
    // Users that were read earlier may have been dropped since.
    try meet([found])
    let ids = found.userIDs
    let known = users.filter { ids.contains($0.key) }
    return ListedMessage(
      message: found.sequenced(known.mapValues(\.user)).message,
      deactivatedIDs: Set(known.lazy.filter { !$0.value.isActive }.map(\.key)))
  }

  private func messages(_ ids: [Int64]) throws -> [StoredMessage] {
    let connection = transaction.connection
    let (condition, value): (StoreStatement, any StoreArgument) =
      ids.count == 1 ? ("= ?", ids[0]) : (.isAnyOf, StoreValue.integers(ids))
    return try connection.all(
      "SELECT \(StoredMessage.columns) FROM messages WHERE message_id \(condition)", [value]
    ) { try StoredMessage(row: $0, channelURL: channelURL, fileURL: connection.fileURL) }
  }

  /// Reads the users of messages that were not read before.
  private mutating func meet(_ messages: [StoredMessage]) throws {
    let ids = messages.reduce(into: Set<String>()) { $0.formUnion($1.userIDs) }
    var missing = ids.filter { users[$0] == nil && !goneIDs.contains($0) }
    guard !missing.isEmpty else { return }
    if users.count + goneIDs.count + missing.count > Self.userLimit {
      (users, goneIDs) = ([:], [])
      missing = ids
    }
    for user in try transaction.listedUsers(missing) { users[user.user.id] = user }
    goneIDs.formUnion(missing.filter { users[$0] == nil })
  }
}

extension MessageQuery {
  /// The index to scan, the condition that its rows must meet for that, and the remaining filters.
  ///
  /// A single type, custom type or sender has an index ordered by time; with several, the matching rows
  /// would have to be sorted, so they are filtered during the scan instead.
  fileprivate var way: (index: MessageIndex, required: Condition, filter: Condition) {
    var required = Condition()
    var rest = filter
    let index = self.index
    switch index {
    case .operators: required.require("is_operator = 1")
    case .customType:
      required.require("custom_type <> '' AND custom_type = ?", [filter.customTypes[0]])
      rest.customTypes = []
    case .type:
      required.require("type <> 'MESG' AND type = ?", [filter.type?.rawValue])
      rest.type = nil
    case .sender:
      required.require("user_id = ?", [filter.senderIDs[0]])
      rest.senderIDs = []
    case .time, .primaryKey, .seq: break
    }
    var others = Condition()
    if operatorFilter == .others { others.require("is_operator = 0") }
    others.require(rest)
    return (index, required, others)
  }

  private var index: MessageIndex {
    if operatorFilter == .operators { return .operators }
    if filter.customTypes.count == 1, filter.customTypes[0] != "" { return .customType }
    if let type = filter.type, type != .user { return .type }
    return filter.senderIDs.count == 1 ? .sender : .time
  }
}
