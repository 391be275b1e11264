import Bus
import Reactor
import Synchronization
import TestPeers
import TestSupport

/// A bus on a thread of its own, and what it has reported.
final class BusHost: Sendable {
  typealias Make =
    @Sendable (EventLoop, @escaping BusHandler) throws(SystemError) -> any Bus

  /// The bus on its thread, which takes the test's jobs.
  private final class Seat: ReadinessHandler {
    let jobs: Mailbox<@Sendable (Seat) -> Void>
    let loop: EventLoop
    let bus: any Bus
    private var registration: EventLoop.Registration?

    init(
      _ jobs: Mailbox<@Sendable (Seat) -> Void>, _ record: Record, _ make: Make
    ) throws(SystemError) {
      let loop = try EventLoop()
      self.jobs = jobs
      self.loop = loop
      bus = try make(loop) { record.add($0) }
      registration = try loop.register(jobs.descriptor, for: .readable, handler: self)
    }

    func run() {
      loop.endOfTurn = { [bus] in
        bus.flush()
        return .idle
      }
      loop.run()
    }

    func stop() {
      bus.close()
      if let registration { loop.deregister(registration) }
      loop.endOfTurn = { .idle }
      loop.stop()
    }

    func descriptorIsReady(for readiness: Readiness) {
      jobs.acknowledge()
      for job in jobs.takeAll(reusing: []) { job(self) }
    }
  }

  /// The events of a bus: messages, and all others.
  private final class Record: Sendable {
    let messages = Mutex<[[UInt8]]>([])
    let states = Mutex<[BusEvent]>([])

    func add(_ event: BusEvent) {
      if case .message(let bytes) = event {
        messages.withLock { $0.append(bytes) }
      } else {
        states.withLock { $0.append(event) }
      }
    }
  }

  private let record = Record()
  private let jobs: Mailbox<@Sendable (Seat) -> Void>
  private let thread: Thread

  /// Starts a bus.
  init(_ make: @escaping Make) throws {
    let jobs = try Mailbox<@Sendable (Seat) -> Void>()
    let start = StartReport<SystemError>()
    let record = record
    self.jobs = jobs
    thread = try Thread(name: "bus") {
      do throws(SystemError) {
        let seat = try Seat(jobs, record, make)
        start.add(.success(()))
        seat.run()
      } catch {
        start.add(.failure(error))
      }
    }
    try start.wait(for: 1)
  }

  /// Closes the bus and ends its thread.
  func stop() {
    jobs.post { $0.stop() }
    thread.join()
  }

  /// Runs a job on the bus's thread.
  func perform(_ job: @escaping @Sendable (any Bus) -> Void) {
    jobs.post { job($0.bus) }
  }

  func send(_ message: [UInt8], to inbox: Inbox) {
    perform { $0.send(message, to: inbox) }
  }

  func send(_ text: String, to inbox: Inbox) { send(Array(text.utf8), to: inbox) }
}

/// What has come.
extension BusHost {
  /// All messages, oldest first.
  var messages: [[UInt8]] { record.messages.withLock { $0 } }

  /// The messages as texts.
  var texts: [String] { messages.map { String(decoding: $0, as: UTF8.self) } }

  /// All events but messages, oldest first.
  var states: [BusEvent] { record.states.withLock { $0 } }

  /// The reasons of all events that report the bus down.
  var reasons: [String] {
    states.compactMap { if case .down(let reason) = $0 { reason } else { nil } }
  }

  func waitUntilUp() throws {
    try wait(for: "the bus to be up") { states.last == .up }
  }

  /// Waits until the bus has been down for a reason that holds a text.
  func waitForReason(_ part: String) throws {
    try wait(for: "the reason \(part)") { reasons.contains { $0.contains(part) } }
  }

  func waitForMessages(_ count: Int) throws {
    try wait(for: "\(count) messages") { record.messages.withLock { $0.count >= count } }
  }

  /// Waits until the bus has been down, and then up.
  func waitUntilBack() throws {
    try wait(for: "the bus to be back") { !reasons.isEmpty && states.last == .up }
  }

  /// Sends a message again and again until one arrives: some are lost on the way to recovery.
  func sendUntilReceived(_ text: String, to inbox: Inbox, by other: BusHost) throws {
    try wait(for: "\(text) to arrive") {
      send(text, to: inbox)
      return other.texts.contains(text)
    }
  }

  private func wait(for what: String, until condition: () -> Bool) throws {
    do {
      try Deadline.standard.wait(for: what, until: condition)
    } catch {
      throw TestFailure("\(error); the bus has reported \(states)")
    }
  }
}
