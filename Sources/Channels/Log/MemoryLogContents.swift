package import ParleyProtocol

/// The contents of a `MemoryLog`, as a value: entries in, results out.
package struct MemoryLogContents: Sendable {
  /// Users by id, as they are now.
  private var users: [String: User]
  private var channels: [Int64: MemoryChannel] = [:]
  private var channelIDs: [String: Int64] = [:]
  private var lastChannelID: Int64 = 0
  private var messageIDs: Set<Int64> = []

  package init(users: [User] = []) {
    self.users = Dictionary(users.map { ($0.id, $0) }) { first, _ in first }
  }

  /// Creates a user, or changes its profile.
  package mutating func set(_ user: User) { users[user.id] = user }

  /// Carries out an entry completely or not at all: all checks come before the first change.
  package mutating func perform(_ entry: LogEntry) -> LogResult {
    do throws(LogError) {
      return .success(try carryOut(entry))
    } catch {
      return .failure(error)
    }
  }

  /// Answers a read from the current contents.
  package func answer(_ read: LogRead) -> LogResult {
    do throws(LogError) {
      return .success(.read(try reading(read)))
    } catch {
      return .failure(error)
    }
  }

  /// Lists messages.
  package func list(_ query: MessageQuery) -> LogResult {
    guard let channel = channels[query.channelID] else { return .failure(.missing(.channel)) }
    return .success(.read(.page(channel.messages.page(query, users))))
  }

  private mutating func carryOut(_ entry: LogEntry) throws(LogError) -> LogOutcome {
    switch entry {
    case .create(let channel, let epoch): return try create(channel, epoch)
    case .takeOver(let url, let renewal):
      guard let id = channelIDs[url] else { return .absent }
      channels[id]?.term += 1
      if let renewal { channels[id]?.renew(renewal) }
      return channels[id].map { .channel($0.state(users)) } ?? .absent
    case .write(.read(let read), _): return .read(try reading(read))
    case .write(let operation, let place): return try write(operation, to: place)
    }
  }

  private mutating func create(
    _ channel: Channel, _ epoch: String
  ) throws(LogError) -> LogOutcome {
    guard channelIDs[channel.url] == nil else { throw .exists }
    try checkStorable(channel.url, channel.name, channel.data, channel.customType)
    for user in channel.operators where users[user.id] == nil { throw .noUser(user.id) }
    lastChannelID += 1
    let made = MemoryChannel(id: lastChannelID, record: channel, epoch: epoch)
    channels[lastChannelID] = made
    channelIDs[channel.url] = lastChannelID
    return .channel(made.state(users))
  }

  private mutating func write(
    _ operation: LogOperation, to place: LogChannel
  ) throws(LogError) -> LogOutcome {
    guard let channel = channels[place.id] else { throw .missing(.channel) }
    guard channel.term == place.term, channel.lastSeq >= place.lastSeq else { throw .fenced }
    switch operation {
    case .append(let message): return try append(message, to: channel)
    case .relay(let message): return .relayed(mentionedUsers: existing(message.mentionedUserIDs))
    case .replace(let message, let ids, let time):
      return try replace(message, ids, in: channel, at: time)
    case .delete(let id, let time):
      guard channel.messages[id] != nil else { throw .missing(.message) }
      messageIDs.remove(id)
      return .deleted(seq: channels[place.id]?.delete(id, at: time) ?? 0)
    case .change(let changes, let time): return try change(channel, changes, at: time)
    case .remove:
      channels[place.id] = nil
      channelIDs[channel.record.url] = nil
      return .removed(seq: channel.lastSeq + 1)
    case .read(let read): return .read(try reading(read))
    }
  }

  private mutating func append(
    _ new: UnsequencedMessage, to channel: MemoryChannel
  ) throws(LogError) -> LogOutcome {
    let message = new.message
    try checkStorable(
      message.requestID, message.user?.id ?? "", new.upload?.name ?? "", new.upload?.type ?? "")
    let since = message.createdAt - requestIDLifetimeMilliseconds
    switch channel.messages.find(message.requestID, by: message.user?.id, since: since) {
    case .message(let first): return .repeated(first.shown(users))
    case .withdrawn: return .withdrawn
    case .nothing: break
    }
    try checkStorable(message.text, message.data, message.customType)
    guard messageIDs.insert(message.id).inserted else { throw .exists }
    let mentioned = existing(new.mentionedUserIDs)
    let seq = channels[channel.id]?.append(new, mentioned.map(\.id))
    return .appended(seq: seq ?? 0, mentionedUsers: mentioned)
  }

  private mutating func replace(
    _ message: Message, _ mentionedIDs: [String]?, in channel: MemoryChannel, at time: Int64
  ) throws(LogError) -> LogOutcome {
    try checkStorable(message.text, message.data, message.customType)
    guard channel.messages[message.id] != nil else { throw .missing(.message) }
    let mentioned = existing(mentionedIDs ?? message.mentionedUsers.map(\.id))
    let seq = channels[channel.id]?.replace(message, mentioned.map(\.id), at: time)
    return .replaced(seq: seq ?? 0, mentionedUsers: mentioned)
  }

  private mutating func change(
    _ channel: MemoryChannel, _ changes: [ChannelChange], at time: Int64
  ) throws(LogError) -> LogOutcome {
    var channel = channel
    var recorded: [RecordedChange] = []
    for change in changes { recorded.append(try channel.make(change, users, at: time)) }
    channels[channel.id] = channel
    return .changed(recorded, channel.state(users).channel)
  }

  private func reading(_ read: LogRead) throws(LogError) -> LogReading {
    switch read {
    case .channel(let url):
      return .channel(channelIDs[url].flatMap { channels[$0]?.state(users) })
    case .sends(let id, let time, let limit):
      return .sends(channels[id]?.messages.sends(after: time, limit: limit) ?? [])
    case .message(let messageID, let id):
      return .message(channels[id]?.messages[messageID]?.shown(users))
    case .request(let name, let userID, let id, let since):
      switch channels[id]?.messages.find(name, by: userID, since: since) ?? .nothing {
      case .message(let message): return .message(message.shown(users))
      case .withdrawn: return .withdrawn
      case .nothing: return .message(nil)
      }
    case .imported(let name, let userID, let id, let createdAt):
      return .message(
        channels[id]?.messages.findImported(name, by: userID, at: createdAt)?.shown(users))
    case .missed(let id, let seq, let byteLimit, let reach):
      guard let channel = channels[id] else { throw .missing(.channel) }
      return .missed(channel.missed(after: seq, byteLimit: byteLimit, reach: reach, users))
    case .users(let ids): return .users(existing(ids))
    case .places(let ids): return .places(ids.compactMap { channels[$0]?.place })
    }
  }

  private func existing(_ ids: [String]) -> [User] {
    var seen: Set<String> = []
    return ids.compactMap { seen.insert($0).inserted ? users[$0] : nil }
  }

  private func checkStorable(_ texts: String...) throws(LogError) {
    for text in texts where text.utf8.contains(0) { throw .unstorableText }
  }
}
