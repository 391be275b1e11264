import Basics
import Channels
package import ParleyProtocol
import Search

/// The messages among which a search looks.
package enum SearchedMessages: Sendable, Hashable {
  /// Those of open channels, and those of the groups that a user has joined, from where its history begins.
  case visible(toUser: String)
  /// Those of all channels.
  case all
}

/// A message that a search found.
package struct FoundMessage: Sendable {
  package var listed: ListedMessage
  /// The operators of its channel.
  package var operatorIDs: Set<String>
}

/// A page of the messages that a search found.
package struct SearchPage<Message: Sendable>: Sendable {
  package var items: [Message] = []
  /// The token of the next page; empty at the end.
  package var next = ""
  /// The number of messages found, up to ``Limits/searchCount``.
  package var total = 0
  /// Whether there are more, or were not counted.
  package var hasMoreTotal = false
  /// Whether the time was up before the page was full, or messages are missing in the index.
  package var isPartial = false
}

/// Finds messages by their words, and encodes each as it is read.
///
/// Messages are compared with the query themselves: the index only says which may match. Errors:
/// `notFound(.channel)` for a channel that is not among those searched, `invalidPageToken`.
package struct FoundMessages<Encoder: PageEncoder<FoundMessage>>: StoreQuery {
  package var search: MessageSearch
  package var searched: SearchedMessages
  package var encoder: Encoder

  package init(_ search: MessageSearch, among searched: SearchedMessages, as encoder: Encoder) {
    self.search = search
    self.searched = searched
    self.encoder = encoder
  }

  package var statements: ReadStatements<SearchPage<Encoder.Encoded>> {
    .init { transaction in
      let time = QueryTime(
        nanoseconds: UInt64(Limits.searchMilliseconds) * 1_000_000, rowsPerLook: 1)
      let timed = ReadTransaction(connection: transaction.connection, time: time)
      return try timed.foundMessages(self)
    }
  }
}

extension StoreTransaction {
  fileprivate func foundMessages<Encoder: PageEncoder<FoundMessage>>(
    _ operation: FoundMessages<Encoder>
  ) throws -> SearchPage<Encoder.Encoded> {
    let search = operation.search
    let scope = try searchScope(of: search, operation.searched)
    let cursor = PageCursor<SearchPosition>(of: search.fingerprint(operation.searched))
    let token = search.token ?? ""
    let position = token.isEmpty ? nil : cursor.position(in: token)
    guard token.isEmpty || position != nil else { throw StoreError.invalidPageToken }
    let query = SearchQuery(search.query, isExact: search.isExact)
    var page = SearchPage<Encoder.Encoded>()
    guard !query.isEmpty else { return page }
    page.isPartial = try isIndexIncomplete()
    var reading = try SearchReading(self, query, search, scope, after: position)
    let found =
      switch search.order {
      case .time: try reading.readInOrder()
      case .score: try reading.readByScore()
      }
    page.total = found.total
    page.hasMoreTotal = found.hasMoreTotal
    if found.isCutShort { page.isPartial = true }
    let messages = try listedMessages(found.messages)
    var room = PageRoom.answer
    for (place, id) in found.messages.map(\.id).enumerated() {
      guard let message = messages[id] else { continue }
      let item = operation.encoder.encode(message)
      guard room.admit(byteCount: item.byteCount) else {
        page.next = cursor.token(after: found.position(after: place))
        return page
      }
      page.items.append(item.value)
    }
    page.next = found.next.map { cursor.token(after: $0) } ?? ""
    return page
  }

  /// Whether messages that exist are missing in the index.
  private func isIndexIncomplete() throws -> Bool {
    guard let progress = try searchProgress(), !progress.isBuilding else { return true }
    let missing =
      try connection.first(
        StoreStatement(
          sqlite: """
            SELECT count(*) FROM (SELECT 1 FROM messages NOT INDEXED WHERE message_id > ? LIMIT 1000)
            """,
          postgreSQL: """
            SELECT count(*) FROM (SELECT 1 FROM messages WHERE message_id > ? LIMIT 1000) AS later
            """), [progress.seen]
      ) { $0[0] as Int } ?? 0
    return missing >= 1_000
  }

  /// Messages with their users and the operators of their channels, by id.
  private func listedMessages(_ found: [FoundRow]) throws -> [Int64: FoundMessage] {
    guard !found.isEmpty else { return [:] }
    let rows = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    let stored = try connection.all(
      "SELECT \(StoredMessage.columns) FROM messages WHERE message_id \(.isAnyOf)",
      [StoreValue.integers(found.map(\.id))]
    ) { row in
      let id: Int64 = row[1]
      return try StoredMessage(
        row: row, channelURL: rows[id]?.channelURL ?? "", fileURL: connection.fileURL)
    }
    let userIDs = stored.reduce(into: Set<String>()) { $0.formUnion($1.userIDs) }
    let users = try userIDs.isEmpty ? [] : listedUsers(userIDs)
    let known = Dictionary(users.map { ($0.user.id, $0.user) }) { first, _ in first }
    let deactivatedIDs = Set(users.lazy.filter { !$0.isActive }.map(\.user.id))
    let operators = try connection.all(
      "SELECT channel_id, user_id FROM channel_operators WHERE channel_id \(.isAnyOf)",
      [StoreValue.integers(Array(Set(found.map(\.channelID))))]
    ) { (channelID: $0[0] as Int64, userID: $0[1] as String) }
    let operatorIDs = Dictionary(grouping: operators, by: \.channelID)
      .mapValues { Set($0.map(\.userID)) }
    return stored.reduce(into: [:]) { messages, row in
      let message = row.sequenced(known).message
      messages[message.id] = FoundMessage(
        listed: ListedMessage(
          message: message, deactivatedIDs: deactivatedIDs.intersection(message.userIDs)),
        operatorIDs: rows[message.id].flatMap { operatorIDs[$0.channelID] } ?? [])
    }
  }
}

extension MessageSearch {
  /// The parts that a token is bound to; the limit may change from page to page.
  fileprivate func fingerprint(_ searched: SearchedMessages) -> [String] {
    let user =
      switch searched {
      case .visible(let userID): userID
      case .all: ""
      }
    return [
      "search", user, query, isExact ? "exact" : "", order.rawValue, isReversed ? "reverse" : "",
      channelURL ?? "", channelCustomType ?? "",
    ] + filter.fingerprint
  }
}

extension MessageFilter {
  /// Its parts as texts, by which filters differ.
  fileprivate var fingerprint: [String] {
    func text(_ flag: Bool?) -> String { flag.map { $0 ? "true" : "false" } ?? "" }
    let times = [from, to, updatedSince].map { String($0 ?? -1) }
    return [type?.rawValue ?? "", mentionedUserID ?? "", text(hasFile), text(hasLink)] + times
      + customTypes + ["from"] + senderIDs
  }
}
