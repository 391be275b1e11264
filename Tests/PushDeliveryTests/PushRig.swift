import Basics
import Channels
import Crypto
import Dispatch
import Lanes
import LinkPreview
import Logging
import ParleyProtocol
import Push
import Reactor
import Synchronization
import TestPeers
import TestSupport
import Testing

@testable import PushDelivery
@testable import Store

/// A store with the users `ann`, `bob` and `cy` in the group `den`, and the delivery of its pushes.
final class PushRig: Sendable {
  static let users = ["ann", "bob", "cy"]

  let store: Store
  let delivery: PushDelivery
  private let directory: TemporaryDirectory
  let den: LogChannel
  private let attending: Attending
  private let clock: RigClock
  let answers = LogAnswers()

  /// - Parameters:
  ///   - directory: One of an earlier rig that has ended, whose store is continued.
  ///   - clock: The clock of the messages.
  init(
    in directory: TemporaryDirectory? = nil, clock: RigClock = RigClock(),
    _ configure: (inout PushConfiguration) throws -> Void
  ) throws {
    self.directory = try directory ?? TemporaryDirectory()
    self.clock = clock
    let attending = Attending()
    self.attending = attending
    let door = PushDoor()
    var options = StoreOptions(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    options.push = PushJobOptions { door.didQueue($0) }
    store = try Store(.directory(self.directory.path), options: options)
    den = try Self.prepare(store, answers, isNew: directory == nil)
    var configuration = PushConfiguration()
    configuration.clock = { clock.now }
    try configure(&configuration)
    delivery = try PushDelivery(
      configuration, store: store, isAttending: { attending[$0] }, door: door,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  func end() {
    delivery.shutDown()
    store.close()
  }

  /// Ends as a killed process does, as far as the store sees it: nothing more is recorded.
  ///
  /// - Returns: The directory of the store, for another rig.
  func kill() -> TemporaryDirectory {
    store.close()
    delivery.shutDown()
    return directory
  }

  /// Lets a user have a session in the foreground, or none.
  func attend(_ userID: String, _ isAttending: Bool) { attending.set(userID, isAttending) }

  /// Registers a device, which is not a browser.
  func register(_ type: PushTokenType, _ token: String, of userID: String) throws {
    try register(#"{"type":"\#(type.rawValue)","token":"\#(token)"}"#, of: userID)
  }

  func register(_ browser: Browser, at endpoint: String, of userID: String) throws {
    let keys = browser.subscription
    try register(
      """
      {"type":"web","subscription":{"endpoint":"\(endpoint)","keys":{
      "p256dh":"\(Base64URL.encode(keys.publicKey))","auth":"\(Base64URL.encode(keys.secret))"}}}
      """, of: userID)
  }

  private func register(_ json: String, of userID: String) throws {
    let call = try PushRegister(Fields(JSONDocument(Array(json.utf8)).root))
    try store.now(PushRegistration(call, of: userID, at: clock.now))
  }

  /// The tokens or endpoints of a user.
  func tokens(of userID: String) throws -> [String] {
    try store.now(PushTokens(of: userID)).map(\.address.name)
  }

  /// Sends a message to the group.
  ///
  /// - Parameter age: The time since the message, in milliseconds.
  /// - Returns: The id of the message.
  @discardableResult
  func say(
    _ text: String = "hello", by userID: String = "ann", age: Int64 = 0, data: String = ""
  ) throws -> Int64 {
    let id = clock.nextID()
    var message = UnsequencedMessage(
      Message(
        id: id, channelURL: "den", user: User(id: userID), text: text, data: data,
        createdAt: clock.now - age))
    message.isCounted = true
    message.pushes = PushIntent(nil)
    let result = try answers.perform(.write(.append(message), den), in: store)
    guard case .success(.appended) = result else { throw TestFailure("no message: \(result)") }
    return id
  }

  func read(upTo id: Int64, by userID: String) throws {
    let change = LogOperation.changeOwn(
      .markRead(upTo: id), userID: userID, visibleFrom: 0)
    _ = try answers.perform(.write(change, den), in: store)
  }

  func count(_ way: PushWay, _ result: PushResult) -> Int { delivery.counters[way, result] }

  func waitForCount(_ way: PushWay, _ result: PushResult, _ count: Int) throws {
    try Deadline.standard.wait(for: "\(count) pushes \(result) by \(way.name)") {
      self.count(way, result) >= count
    }
  }

  /// The number of jobs in the store.
  func jobCount() throws -> Int {
    try store.now(PushBacklogCount(in: .everything)).count
  }

  func waitForNoJobs() throws {
    try Deadline.standard.wait(for: "the end of all jobs") { try jobCount() == 0 }
  }

  private static func prepare(
    _ store: Store, _ answers: LogAnswers, isNew: Bool
  ) throws -> LogChannel {
    guard isNew else {
      let result = try answers.perform(.takeOver(url: "den"), in: store)
      guard case .success(.channel(let state)) = result else { throw TestFailure("\(result)") }
      return state.place
    }
    for id in users { _ = try store.now(UserCreation(User(id: id, nickname: id), at: 1)) }
    let channel = Channel(
      url: "den", name: "Den", createdAt: 1, group: Group(createdBy: User(id: "ann")))
    let result = try answers.perform(
      .create(channel, epoch: "e", inviting: ["bob", "cy"]), in: store)
    guard case .success(.channel(let state)) = result else { throw TestFailure("\(result)") }
    return state.place
  }
}

/// The clock and the ids of messages.
final class RigClock: Sendable {
  private let state = Mutex((shift: Int64(0), lastID: Int64(1_000)))

  var now: Int64 { SystemClock.unixMilliseconds + state.withLock { $0.shift } }

  func advance(milliseconds: Int64) { state.withLock { $0.shift += milliseconds } }

  func nextID() -> Int64 {
    state.withLock {
      $0.lastID += 1
      return $0.lastID
    }
  }
}

private final class Attending: Sendable {
  private let users = Mutex<Set<String>>([])

  subscript(userID: String) -> Bool { users.withLock { $0.contains(userID) } }

  func set(_ userID: String, _ isAttending: Bool) {
    users.withLock { _ = isAttending ? $0.insert(userID).inserted : $0.remove(userID) != nil }
  }
}

/// Waits for the answers of a log.
final class LogAnswers: LogSink {
  private let state = Mutex((last: UInt64(0), results: [UInt64: LogResult]()))

  func receive(_ answers: [LogAnswer]) {
    state.withLock { state in
      for answer in answers { state.results[answer.ticket.number] = answer.result }
    }
  }

  func perform(_ entry: LogEntry, in store: Store) throws -> LogResult {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    var entries = [LogSubmission(LogTicket(number: number), entry)]
    store.submit(&entries, to: self)
    var result: LogResult?
    try Deadline.standard.wait(for: "an answer of the log") {
      result = state.withLock { $0.results.removeValue(forKey: number) }
      return result != nil
    }
    guard let result else { throw TestFailure("no answer of the log") }
    return result
  }
}

extension Store {
  /// Performs a write and waits for it.
  @discardableResult
  func now<Write: StoreWrite>(_ write: Write) throws -> Write.Outcome {
    try Self.wait { perform(write, completion: $0) }
  }

  func now<Lookup: StoreLookup>(_ lookup: Lookup) throws -> Lookup.Outcome {
    try Self.wait { perform(lookup, completion: $0) }
  }

  func now<Query: StoreQuery>(_ query: Query) throws -> Query.Outcome {
    try Self.wait { done in perform(query, for: .server) { result, _ in done(result) } }
  }

  private static func wait<Outcome: Sendable>(
    _ start: (@escaping @Sendable (Result<Outcome, StoreError>) -> Void) -> Void
  ) throws -> Outcome {
    let outcome = Mutex<Result<Outcome, StoreError>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    start { result in
      outcome.withLock { $0 = result }
      isDone.signal()
    }
    try Deadline.standard.wait(for: "the store", on: isDone)
    guard let result = outcome.withLock({ $0 }) else { throw TestFailure("no answer") }
    return try result.get()
  }
}
