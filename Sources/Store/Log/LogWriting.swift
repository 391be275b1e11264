import Channels
import ParleyProtocol

/// Executes entries of the log on the writer's connection; confined to its thread.
struct LogWriting {
  let connection: StoreConnection
  let appender: any MessageAppending

  private var transaction: WriteTransaction { WriteTransaction(connection: connection) }

  /// - Throws: `LogError`, `StoreError` or a database error; the caller must then undo what the entry
  ///   has written.
  func perform(_ entry: LogEntry) throws -> LogOutcome {
    switch entry {
    case .create(let channel, let epoch, let invitedIDs, let rules):
      guard channel.group != nil else {
        return .channel(try transaction.createChannel(channel, epoch: epoch))
      }
      return try transaction.createGroup(
        channel, epoch: epoch, inviting: invitedIDs, under: rules)
    case .takeOver(let url, let renewal): return try takeOver(url, renewal)
    case .write(let operation, let channel): return try perform(operation, on: channel)
    }
  }

  private func perform(_ operation: LogOperation, on channel: LogChannel) throws -> LogOutcome {
    switch operation {
    case .append(let message): return try append(message, to: channel)
    case .read(let read):
      return .read(try ReadTransaction(connection: connection).answer(read))
    case .relay(let message):
      try requireTerm(of: channel)
      return try relay(message, in: channel)
    case .replace(let message, let mentionedIDs, let time):
      try requireTerm(of: channel)
      return try replace(message, mentionedIDs, in: channel, at: time)
    case .delete(let id, let time):
      try requireTerm(of: channel)
      return .deleted(seq: try transaction.deleteMessage(id, channelID: channel.id, at: time))
    case .change(let changes, let time):
      try requireTerm(of: channel)
      let recorded = try changes.map { try make($0, in: channel, at: time) }
      return .changed(recorded, try transaction.existingChannel(channel.url).channel)
    case .changeOwn(let change, let userID, let visibleFrom):
      try requireTerm(of: channel)
      return .own(
        try transaction.changeOwn(
          change, of: userID, channelID: channel.id, visibleFrom: visibleFrom))
    case .deliver(let deliveries):
      try requireTerm(of: channel)
      try transaction.deliver(deliveries, channelID: channel.id)
      return .stored
    case .remove(let time):
      try requireTerm(of: channel)
      let event = try transaction.deleteChannel(channel.url, at: time).event
      return .removed(seq: event?.seq ?? 0)
    }
  }

  /// - Throws: `LogError.fenced` or `StoreError.notFound(.channel)`.
  private func requireTerm(of channel: LogChannel) throws {
    _ = try appender.lastSeq(of: channel)
  }

  private func takeOver(_ url: String, _ renewal: EpochRenewal?) throws -> LogOutcome {
    let count = try connection.change(Self.nextTerm, [url])
    if let renewal {
      try connection.execute(
        "UPDATE channels SET epoch = ? WHERE url = ? AND epoch = ? AND last_seq < ?",
        [renewal.next, url, renewal.epoch, renewal.seq])
    }
    guard count > 0, let state = try transaction.channel(url) else { return .absent }
    return .channel(state)
  }

  /// The statement that raises the term of a channel.
  ///
  /// A database that has lost its last commits must not assign a term again that one of them assigned,
  /// because a writer may still use it. So terms follow the clock there.
  private static let nextTerm = StoreStatement(
    sqlite: "UPDATE channels SET term = term + 1 WHERE url = ?",
    postgreSQL: """
      UPDATE channels
      SET term = greatest(term + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
      WHERE url = ?
      """)

  private func append(_ message: UnsequencedMessage, to channel: LogChannel) throws -> LogOutcome {
    do {
      return LogOutcome(try appender.append(message, to: channel))
    } catch StoreError.notFound(.message) {
      return .withdrawn
    }
  }

  /// Appends messages in order, in few round trips.
  ///
  /// - Throws: An error that means that the storage failed.
  func append(_ run: [MessageAddition]) throws -> [Result<LogOutcome, any Error>] {
    try appender.append(run).map { result in
      switch result {
      case .success(let outcome): .success(LogOutcome(outcome))
      case .failure(StoreError.notFound(.message)): .success(.withdrawn)
      case .failure(let error): .failure(error)
      }
    }
  }

  private func relay(_ new: UnsequencedMessage, in channel: LogChannel) throws -> LogOutcome {
    if let file = new.upload {
      try transaction.keepFile(
        file, shownAs: new.message.file, of: new.message.user?.id, inMessage: new.message.id,
        channelID: channel.id, at: new.message.createdAt)
    }
    return .relayed(mentionedUsers: try transaction.usersInOrder(new.mentionedUserIDs))
  }

  private func replace(
    _ message: Message, _ mentionedIDs: [String]?, in channel: LogChannel, at time: Int64
  ) throws -> LogOutcome {
    var message = message
    message.mentionedUsers = try transaction.usersInOrder(
      mentionedIDs ?? message.mentionedUsers.map(\.id))
    let replaced = try transaction.replaceMessage(message, channelID: channel.id, at: time)
    if mentionedIDs != nil {
      try transaction.replaceMentions(of: message, channelID: channel.id)
    }
    return .replaced(seq: replaced.seq, mentionedUsers: message.mentionedUsers)
  }

  private func make(
    _ change: ChannelChange, in channel: LogChannel, at time: Int64
  ) throws -> RecordedChange {
    let url = channel.url
    switch change {
    case .fields(let changes):
      return RecordedChange(try transaction.setFields(url, changes, at: time))
    case .freeze(true): return RecordedChange(try transaction.freezeChannel(url, at: time))
    case .freeze(false): return RecordedChange(try transaction.unfreezeChannel(url, at: time))
    case .restrict(let kind, let restriction):
      let (user, event) = try transaction.impose(kind, restriction, channelID: channel.id)
      return .user(user, seq: event.seq)
    case .lift(let kind, let userID):
      let (user, event) = try transaction.lift(
        kind, channelID: channel.id, userID: userID, at: time)
      return event.map { .user(user, seq: $0.seq) } ?? .unchanged
    case .addOperators(let ids):
      return RecordedChange(operators: try transaction.addOperators(url, ids, at: time))
    case .removeOperators(let ids):
      return RecordedChange(operators: try transaction.removeOperators(url, ids, at: time))
    case .keepOperators(let ids):
      let present = try transaction.existingChannel(url).channel.operators.map(\.id)
      let others = present.filter { !ids.contains($0) }
      return RecordedChange(operators: try transaction.removeOperators(url, others, at: time))
    case .invite(let ids, let inviter, let rules):
      return RecordedChange(
        try transaction.withChoices(
          transaction.invite(ids, by: inviter, to: url, under: rules, at: time)))
    case .join(let userID, let visibleFrom, let rules):
      return RecordedChange(
        try transaction.withChoices(
          transaction.join(userID, url, visibleFrom: visibleFrom, under: rules, at: time)))
    case .depart(let ids, let reason):
      return RecordedChange(try transaction.depart(ids, from: url, reason, at: time))
    }
  }
}

extension RecordedChange {
  fileprivate init(_ mutation: ChannelMutation) {
    self = mutation.event.map { .made(seq: $0.seq) } ?? .unchanged
  }

  fileprivate init(_ members: [RecordedMember]) {
    self = members.isEmpty ? .unchanged : .members(members)
  }

  fileprivate init(operators mutation: ChannelMutation) {
    self =
      mutation.event.map { .operators(mutation.channel.operators, seq: $0.seq) } ?? .unchanged
  }
}

extension LogOutcome {
  fileprivate init(_ outcome: AppendOutcome) {
    switch outcome {
    case .stored(let seq, let users): self = .appended(seq: seq, mentionedUsers: users)
    case .repeated(let first, let seq):
      self = .repeated(SequencedMessage(message: first, seq: seq))
    }
  }
}

extension LogEntry {
  /// The message that the entry appends, if any.
  var addition: MessageAddition? {
    guard case .write(.append(let message), let channel) = self else { return nil }
    return MessageAddition(new: message, channel: channel)
  }

  /// Whether the entry has to be part of a transaction.
  var writes: Bool {
    switch self {
    case .write(.read, _): false
    case .write(.relay(let message), _): message.upload != nil
    case .write, .create, .takeOver: true
    }
  }
}
