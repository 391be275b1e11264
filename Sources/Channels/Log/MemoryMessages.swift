import ParleyProtocol

/// The messages of a channel in a `MemoryLog`.
///
/// Users are stored by id; reads return their current profiles.
struct MemoryMessages: Sendable {
  /// A message with the ids of the mentioned users.
  struct Entry: Sendable {
    var message: SequencedMessage
    var mentionedIDs: [String]
    /// Whether the message took no place in its user's flood window.
    var isFloodExempt = false

    /// The send that a flood window counts; `nil` if none does.
    var send: RecentSend? {
      guard let user = message.message.user, !isFloodExempt else { return nil }
      return RecentSend(userID: user.id, createdAt: message.message.createdAt)
    }
  }

  /// The result of looking for the message that a request made.
  enum Request {
    case nothing
    case message(Entry)
    case withdrawn
  }

  /// In the order of `seq`.
  private var entries: [Entry] = []
  /// The deleted messages of users, except those that took no place in a window.
  private var deleted: [(id: Int64, send: RecentSend)] = []
  /// The places of countable messages that are unread for no member, by message.
  private(set) var uncounted: [Int64: MessagePlace] = [:]
  private var withdrawn: [(userID: String?, requestID: String, createdAt: Int64)] = []

  subscript(id: Int64) -> Entry? { entries.last { $0.message.message.id == id } }

  mutating func append(
    _ new: UnsequencedMessage, _ mentionedIDs: [String], seq: Int64, ordinal: Int64?
  ) {
    var message = new.message
    message.ordinal = ordinal
    if let ordinal, ordinal > 0, new.blockerID != nil {
      uncounted[message.id] = MessagePlace(ordinal: ordinal, createdAt: message.createdAt)
    }
    entries.append(
      Entry(
        message: SequencedMessage(message: message, seq: seq), mentionedIDs: mentionedIDs,
        isFloodExempt: new.isFloodExempt))
  }

  /// Replaces the changeable parts of a message.
  mutating func replace(_ message: Message, _ mentionedIDs: [String]) {
    guard let index = entries.lastIndex(where: { $0.message.message.id == message.id }) else {
      return
    }
    entries[index].message.message.change(to: message)
    entries[index].mentionedIDs = mentionedIDs
  }

  mutating func remove(_ id: Int64) {
    guard let index = entries.lastIndex(where: { $0.message.message.id == id }) else { return }
    let entry = entries.remove(at: index)
    let message = entry.message.message
    if let ordinal = message.ordinal, ordinal > 0 {
      uncounted[id] = MessagePlace(ordinal: ordinal, createdAt: message.createdAt)
    }
    if let send = entry.send { deleted.append((id, send)) }
    guard !message.requestID.isEmpty else { return }
    withdrawn.append((message.user?.id, message.requestID, message.createdAt))
  }

  /// Looks for the message that a request made after a time.
  func find(_ requestID: String, by userID: String?, since: Int64) -> Request {
    guard !requestID.isEmpty else { return .nothing }
    let found = entries.first { entry in
      let message = entry.message.message
      return message.requestID == requestID && message.user?.id == userID
        && message.createdAt > since
    }
    if let found { return .message(found) }
    let isWithdrawn = withdrawn.contains {
      $0.requestID == requestID && $0.userID == userID && $0.createdAt > since
    }
    return isWithdrawn ? .withdrawn : .nothing
  }

  /// Looks for the message that a request imported with a time.
  func findImported(_ requestID: String, by userID: String?, at createdAt: Int64) -> Entry? {
    entries.first { entry in
      let message = entry.message.message
      return message.createdAt == createdAt && message.requestID == requestID
        && message.user?.id == userID
    }
  }

  /// The messages after a number.
  func after(_ seq: Int64) -> ArraySlice<Entry> {
    entries[(entries.lastIndex { $0.message.seq <= seq } ?? -1) + 1..<entries.endIndex]
  }

  /// The newest message from a time on.
  func newest(since time: Int64) -> Entry? {
    entries.filter { $0.message.message.createdAt >= time }.max { first, second in
      let (first, second) = (first.message.message, second.message.message)
      return (first.createdAt, first.id) < (second.createdAt, second.id)
    }
  }

  /// See ``OwnChangeFacts/place(ofMessage:)``.
  func place(of id: Int64) -> MessagePlace? {
    if let place = uncounted[id] { return place }
    guard let index = entries.lastIndex(where: { $0.message.message.id == id }) else { return nil }
    let message = entries[index].message.message
    let counted = entries[...index].last { ($0.message.message.ordinal ?? 0) > 0 }
    return MessagePlace(
      ordinal: counted?.message.message.ordinal ?? 0, createdAt: message.createdAt,
      isSilent: (message.ordinal ?? 0) == 0)
  }

  /// See ``OwnChangeFacts/place(atTime:)``.
  func place(at time: Int64) -> MessagePlace? {
    entries.lazy.map(\.message.message).last { $0.createdAt <= time && ($0.ordinal ?? 0) > 0 }.map {
      MessagePlace(ordinal: $0.ordinal ?? 0, createdAt: $0.createdAt)
    }
  }

  /// See ``OwnChangeFacts/count(ofMessagesBy:from:after:)``.
  func count(by userID: String, after ordinal: Int64) -> Int64 {
    Int64(
      entries.count { entry in
        let message = entry.message.message
        return message.user?.id == userID && (message.ordinal ?? 0) > ordinal
          && uncounted[message.id] == nil
      })
  }

  /// The number of messages after an ordinal that mention a user, without its own and those of some users.
  func mentionCount(
    of userID: String, after ordinal: Int64, exceptBy authorIDs: Set<String>
  ) -> Int64 {
    Int64(
      entries.count { entry in
        let message = entry.message.message
        guard message.ordinal ?? 0 > ordinal, uncounted[message.id] == nil else { return false }
        if let id = message.user?.id, id == userID || authorIDs.contains(id) { return false }
        return MessageMentions(message.mentionType, entry.mentionedIDs)?.include(userID) == true
      })
  }

  func last(upTo seq: Int64) -> SequencedMessage? {
    entries.last { $0.message.seq <= seq }?.message
  }

  func sends(after time: Int64, limit: Int) -> [RecentSend] {
    let kept = entries.compactMap { entry in
      entry.send.map { (id: entry.message.message.id, send: $0) }
    }
    return (kept + deleted).filter { $0.send.createdAt > time }
      .sorted { ($0.send.createdAt, $0.id) < ($1.send.createdAt, $1.id) }
      .suffix(limit).map(\.send)
  }

  func page(_ query: MessageQuery, _ users: [String: User]) -> MessagePage<Message> {
    let fitting = entries.map { $0.shown(users).message }.filter(query.fits)
    let before = fitting.filter { query.place(of: $0) < 0 }
    let at = query.center == .included ? fitting.filter { query.place(of: $0) == 0 } : []
    let after = fitting.filter { query.place(of: $0) > 0 }
    let shown = Array(before.suffix(query.previousLimit)) + at + after.prefix(query.nextLimit)
    var page = MessagePage(
      items: query.order == .oldestFirst ? shown : shown.reversed(), previous: nil, next: nil)
    if before.count > query.previousLimit {
      page.previous = MessageEdge(messageID: shown.first?.id ?? (before.last?.id ?? 0) + 1)
    }
    if after.count > query.nextLimit {
      page.next = MessageEdge(messageID: shown.last?.id ?? (after.first?.id ?? 0) - 1)
    }
    return page
  }
}

extension MemoryMessages.Entry {
  /// The message with the current profiles of its users.
  func shown(_ users: [String: User]) -> SequencedMessage {
    var shown = message
    shown.message.user = message.message.user.map { users[$0.id] ?? User(id: $0.id) }
    shown.message.mentionedUsers = mentionedIDs.compactMap { users[$0] }
    return shown
  }
}

extension Message {
  /// Replaces the changeable parts.
  fileprivate mutating func change(to other: Message) {
    text = other.text
    data = other.data
    customType = other.customType
    mentionType = other.mentionType
    metaArrays = other.metaArrays
    openGraphTag = other.openGraphTag
    translations = other.translations
    languagesOnDemand = other.languagesOnDemand
    updatedAt = other.updatedAt
  }
}

extension MessageQuery {
  fileprivate func fits(_ message: Message) -> Bool {
    message.createdAt >= visibleFrom && filter.matches(message)
      && (operatorFilter == .all || message.isOperatorMessage == (operatorFilter == .operators))
  }

  /// Negative before the anchor, positive after it.
  fileprivate func place(of message: Message) -> Int64 {
    switch anchor {
    case .message(let id): message.id - id
    case .time(let time): message.createdAt < time ? -1 : message.createdAt == time ? 0 : 1
    }
  }
}
