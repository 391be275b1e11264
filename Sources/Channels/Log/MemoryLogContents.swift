package import ParleyProtocol

/// The contents of a `MemoryLog`, as a value: entries in, results out.
package struct MemoryLogContents: Sendable {
  private var users: MemoryLogUsers
  private var channels: [Int64: MemoryChannel] = [:]
  private var channelIDs: [String: Int64] = [:]
  private var lastChannelID: Int64 = 0
  private var messageIDs: Set<Int64> = []

  /// - Parameter users: The existing users, who are active and join groups when they are invited.
  package init(users: [User] = []) {
    self.users = MemoryLogUsers(users)
  }

  /// Creates a user, or changes its profile.
  package mutating func set(_ user: User) { users.profiles[user.id] = user }

  /// Sets whether a user joins a group as soon as it is invited.
  package mutating func setAcceptsInvitations(_ accepts: Bool, userID: String) {
    users.acceptance[userID] = accepts
  }

  /// Sets whether a user keeps to itself how far it has read.
  package mutating func setHidesReads(_ hidesReads: Bool, userID: String) {
    if hidesReads {
      users.privateReaderIDs.insert(userID)
    } else {
      users.privateReaderIDs.remove(userID)
    }
  }

  /// Makes a user block another one.
  package mutating func add(_ block: Block) { users.blocks.insert(block) }

  /// Ends a block.
  package mutating func remove(_ block: Block) { users.blocks.remove(block) }

  /// Sets whether a user is active.
  package mutating func setActive(_ isActive: Bool, userID: String) {
    if isActive { users.deactivatedIDs.remove(userID) } else { users.deactivatedIDs.insert(userID) }
  }

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
    return .success(.read(.page(channel.messages.page(query, users.profiles))))
  }

  private mutating func carryOut(_ entry: LogEntry) throws(LogError) -> LogOutcome {
    switch entry {
    case .create(let channel, let epoch, let invitedIDs, let rules):
      return try create(channel, epoch, inviting: invitedIDs, under: rules)
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
    _ channel: Channel, _ epoch: String, inviting ids: [String], under rules: GroupRules
  ) throws(LogError) -> LogOutcome {
    if let found = distinctGroup(like: channel, with: ids) { return .found(found.state(users)) }
    guard channelIDs[channel.url] == nil else { throw .exists }
    try checkStorable(
      channel.url, channel.name, channel.data, channel.customType, channel.group?.accessCode ?? "")
    var made = MemoryChannel(id: lastChannelID + 1, record: channel, epoch: epoch)
    if channel.group != nil { try made.begin(with: ids, users, under: rules) }
    for user in channel.operators where users[user.id] == nil { throw .noUser(user.id) }
    lastChannelID += 1
    channels[lastChannelID] = made
    channelIDs[channel.url] = lastChannelID
    return .channel(made.state(users))
  }

  /// The distinct group of the same users, if there is one.
  private func distinctGroup(like channel: Channel, with ids: [String]) -> MemoryChannel? {
    guard let group = channel.group, group.isDistinct else { return nil }
    let members = Set(ids).union([group.createdBy?.id].compactMap(\.self))
    return channels.values.first { $0.distinctIDs == members }
  }

  private mutating func write(
    _ operation: LogOperation, to place: LogChannel
  ) throws(LogError) -> LogOutcome {
    guard let channel = channels[place.id] else { throw .missing(.channel) }
    guard channel.term == place.term, channel.lastSeq >= place.lastSeq else { throw .fenced }
    switch operation {
    case .append(let message): return try append(message, to: channel)
    case .relay(let message):
      return .relayed(mentionedUsers: users.existing(message.mentionedUserIDs))
    case .replace(let message, let ids, let time):
      return try replace(message, ids, in: channel, at: time)
    case .delete(let id, let time):
      guard channel.messages[id] != nil else { throw .missing(.message) }
      messageIDs.remove(id)
      return .deleted(seq: channels[place.id]?.delete(id, at: time) ?? 0)
    case .change(let changes, let time): return try change(channel, changes, at: time)
    case .changeOwn(let change, let userID, let visibleFrom):
      var channel = channel
      let own = try channel.changeOwn(change, of: userID, visibleFrom: visibleFrom, users)
      channels[channel.id] = channel
      return .own(own)
    case .deliver(let deliveries):
      channels[place.id]?.deliver(deliveries)
      return .stored
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
    case .message(let first): return .repeated(first.shown(users.profiles))
    case .withdrawn: return .withdrawn
    case .nothing: break
    }
    try checkStorable(message.text, message.data, message.customType)
    guard messageIDs.insert(message.id).inserted else { throw .exists }
    let mentioned = users.existing(new.mentionedUserIDs)
    let seq = channels[channel.id]?.append(new, mentioned.map(\.id))
    return .appended(seq: seq ?? 0, mentionedUsers: mentioned)
  }

  private mutating func replace(
    _ message: Message, _ mentionedIDs: [String]?, in channel: MemoryChannel, at time: Int64
  ) throws(LogError) -> LogOutcome {
    try checkStorable(message.text, message.data, message.customType)
    guard channel.messages[message.id] != nil else { throw .missing(.message) }
    let mentioned = users.existing(mentionedIDs ?? message.mentionedUsers.map(\.id))
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
      return .message(channels[id]?.messages[messageID]?.shown(users.profiles))
    case .messagePlace(let messageID, let id):
      return .messagePlace(channels[id]?.messages.place(of: messageID))
    case .request(let name, let userID, let id, let since):
      switch channels[id]?.messages.find(name, by: userID, since: since) ?? .nothing {
      case .message(let message): return .message(message.shown(users.profiles))
      case .withdrawn: return .withdrawn
      case .nothing: return .message(nil)
      }
    case .imported(let name, let userID, let id, let createdAt):
      return .message(
        channels[id]?.messages.findImported(name, by: userID, at: createdAt)?
          .shown(users.profiles))
    case .missed(let id, let seq, let byteLimit, let reach):
      guard let channel = channels[id] else { throw .missing(.channel) }
      return .missed(
        channel.missed(after: seq, byteLimit: byteLimit, reach: reach, users.profiles))
    case .users(let ids): return .users(users.existing(ids))
    case .group(let id, let since, let readerID, let memberLimit):
      return .group(
        channels[id]?.reading(since: since, by: readerID, memberLimit: memberLimit, users)
          ?? GroupReading(lastMessage: nil, members: [], own: nil))
    case .blockers(let userID, let id):
      return .ids(channels[id]?.joinedBlockers(of: userID, users) ?? [])
    case .places(let ids): return .places(ids.compactMap { channels[$0]?.place })
    }
  }

  private func checkStorable(_ texts: String...) throws(LogError) {
    for text in texts where text.utf8.contains(0) { throw .unstorableText }
  }
}
