import Channels
import ParleyProtocol
import Synchronization
import Testing

@testable import Store

/// The logs that keep the contract.
enum LogKind: String, CaseIterable, CustomTestStringConvertible, Sendable {
  case memory
  case sqlite
  case postgreSQL

  var testDescription: String { rawValue }
}

/// A log with the users `ann`, `bob`, `cy`, `dan` and `eve` and the channel `lobby`, whose epoch is
/// `first`.
///
/// `dan` accepts invitations itself, and `eve` is deactivated.
final class LogFixture: Sendable {
  let log: any MessageLog
  let lobby: LogChannel
  /// The store, when the log is one.
  let store: Store?
  let directory: TemporaryDirectory?
  private let sink = Collector()
  private let lastTicket = Mutex<UInt64>(0)

  static let users = [
    User(id: "ann", nickname: "Ann"), User(id: "bob", nickname: "Bob"),
    User(id: "cy", nickname: "Cy"), User(id: "dan", nickname: "Dan"),
    User(id: "eve", nickname: "Eve"),
  ]

  /// - Parameter url: The database to use, which may have the users and the channel already.
  init(
    _ kind: LogKind, at url: String? = nil, options: StoreOptions = StoreOptions()
  ) async throws {
    switch kind {
    case .memory:
      (store, directory) = (nil, nil)
      let log = MemoryLog(users: Self.users)
      log.change { contents in
        contents.setAcceptsInvitations(false, userID: "dan")
        contents.setActive(false, userID: "eve")
      }
      self.log = log
    case .sqlite, .postgreSQL:
      let directory = TemporaryDirectory()
      let database = kind == .sqlite ? StoreUnderTest.sqlite : .postgreSQL
      let place = try url.map { .postgreSQL(url: $0) } ?? database.place(in: directory)
      let store = try Store(place, options: options.patient(in: directory))
      try await store.write { transaction in
        for user in Self.users {
          _ = try transaction.upsertUser(user.id, nickname: user.nickname, at: 1)
        }
        try transaction.deactivateUser("eve")
      }
      try await store.perform(UserChoicesChange(of: "dan", acceptsInvitations: false))
      (self.store, self.directory) = (store, directory)
      log = store
    }
    var entries = [
      LogSubmission(
        LogTicket(number: 0), .create(Channel(url: "lobby", createdAt: 1), epoch: "first"))
    ]
    log.submit(&entries, to: sink)
    let created = await sink.results(of: [0]).first
    if case .failure(.exists)? = created {
      log.read(.channel(url: "lobby"), LogTicket(number: 0), to: sink)
    }
    let state =
      if case .success(.channel(let state))? = created {
        state
      } else {
        try #require(await sink.results(of: [0]).first?.reading?.state)
      }
    lobby = state.place
  }

  /// Submits entries together and waits for their results.
  func perform(_ entries: [LogEntry]) async -> [LogResult] {
    let tickets = entries.map { _ in ticket() }
    var submissions = zip(tickets, entries).map { LogSubmission(LogTicket(number: $0), $1) }
    log.submit(&submissions, to: sink)
    return await sink.results(of: tickets)
  }

  func perform(_ entry: LogEntry) async -> LogResult { await perform([entry])[0] }

  /// Writes to the lobby.
  func write(_ operations: LogOperation...) async -> [LogResult] {
    await perform(operations.map { .write($0, lobby) })
  }

  func write(_ operation: LogOperation) async -> LogResult {
    await perform(.write(operation, lobby))
  }

  func read(_ read: LogRead) async -> LogReading? {
    let ticket = ticket()
    log.read(read, LogTicket(number: ticket), to: sink)
    return await sink.results(of: [ticket])[0].reading
  }

  func list(_ query: MessageQuery) async -> LogReading? {
    let ticket = ticket()
    log.list(query, for: .server, LogTicket(number: ticket), to: sink)
    return await sink.results(of: [ticket])[0].reading
  }

  /// The tickets in the order in which they were answered.
  var answered: [UInt64] { sink.answered }

  /// A message in the lobby.
  func message(
    _ id: Int64, _ text: String = "hello", by userID: String? = "ann", requestID: String = "",
    at createdAt: Int64 = 1_000
  ) -> UnsequencedMessage {
    UnsequencedMessage(
      Message(
        id: id, type: userID == nil ? .admin : .user, channelURL: "lobby",
        user: userID.map { id in Self.users.first { $0.id == id } ?? User(id: id) }, text: text,
        requestID: requestID, createdAt: createdAt))
  }

  private func ticket() -> UInt64 {
    lastTicket.withLock { last in
      last += 1
      return last
    }
  }
}

/// Keeps answers until they are asked for.
private final class Collector: LogSink {
  private struct State {
    var results: [UInt64: LogResult] = [:]
    var answered: [UInt64] = []
    var waiting: [UInt64: CheckedContinuation<LogResult, Never>] = [:]
  }

  private let state = Mutex(State())

  var answered: [UInt64] { state.withLock { $0.answered } }

  func receive(_ answers: [LogAnswer]) {
    for answer in answers {
      let number = answer.ticket.number
      let waiting = state.withLock { state in
        state.answered.append(number)
        let waiting = state.waiting.removeValue(forKey: number)
        if waiting == nil { state.results[number] = answer.result }
        return waiting
      }
      waiting?.resume(returning: answer.result)
    }
  }

  func results(of tickets: [UInt64]) async -> [LogResult] {
    var results: [LogResult] = []
    for ticket in tickets { results.append(await result(of: ticket)) }
    return results
  }

  private func result(of ticket: UInt64) async -> LogResult {
    await withCheckedContinuation { continuation in
      let result = state.withLock { state in
        let result = state.results.removeValue(forKey: ticket)
        if result == nil { state.waiting[ticket] = continuation }
        return result
      }
      if let result { continuation.resume(returning: result) }
    }
  }
}

extension LogResult {
  var reading: LogReading? {
    if case .success(.read(let reading)) = self { reading } else { nil }
  }

  var error: LogError? {
    if case .failure(let error) = self { error } else { nil }
  }

  /// The number that an appended message was given.
  var appendedSeq: Int64? {
    if case .success(.appended(let seq, _)) = self { seq } else { nil }
  }

  /// The number of the message that a repeated request had made.
  var repeatedSeq: Int64? {
    if case .success(.repeated(let first)) = self { first.seq } else { nil }
  }

  var changes: [RecordedChange]? {
    if case .success(.changed(let changes, _)) = self { changes } else { nil }
  }

  var state: ChannelState? {
    if case .success(.channel(let state)) = self { state } else { nil }
  }

  /// A distinct group that was there already.
  var found: ChannelState? {
    if case .success(.found(let state)) = self { state } else { nil }
  }

  /// The channel after a change.
  var changed: Channel? {
    if case .success(.changed(_, let channel)) = self { channel } else { nil }
  }
}

extension LogReading {
  var message: SequencedMessage? {
    if case .message(let message) = self { message } else { nil }
  }

  var group: GroupReading? {
    if case .group(let reading) = self { reading } else { nil }
  }

  var missed: [DurableEvent]? {
    if case .missed(let events) = self { events } else { nil }
  }

  var state: ChannelState? {
    if case .channel(let state) = self { state } else { nil }
  }
}
