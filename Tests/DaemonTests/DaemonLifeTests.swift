import Configuration
import Glibc
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Daemon

@Suite("A daemon's life", .onOwnThreads)
struct DaemonLifeTests {
  private struct Refusal: Error {}

  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// A daemon that ends when it is told to drain or hurry.
  private final class Tracked: Daemon {
    let calls = Mutex<[String]>([])

    func takePulse(_ answer: @escaping @Sendable () -> Void) { answer() }
    func reload(_ settings: SettingsReload) { note("reload") }
    func drain() { note("drain") }
    func hurry() { note("hurry") }
    func waitUntilStopped() { note("wait") }

    private func note(_ call: String) { calls.withLock { $0.append(call) } }
  }

  private func life(_ receiver: DatagramReceiver? = nil) -> DaemonLife {
    let environment = receiver.map { ["NOTIFY_SOCKET": $0.name] } ?? [:]
    return DaemonLife(
      .withoutFile, Supervision(environment: environment, logger: Self.logger), Self.logger)
  }

  @Test("a signal during startup ends the wait, without a failure")
  func cancels() throws {
    let receiver = try DatagramReceiver(DatagramReceiver.abstractName())
    let life = life(receiver)
    life.run { start in
      #expect(start.wait("no database\nat all"))
      life.take(SIGHUP)
      #expect(start.wait("still none"))
      life.take(SIGTERM)
      #expect(!start.wait("never"))
      throw Refusal()
    }
    guard case .cancelled = life.outcome else { return #expect(Bool(false)) }
    let notices = [try receiver.next(), try receiver.next(), try receiver.next()]
    #expect(notices[0] == "EXTEND_TIMEOUT_USEC=120000000\nSTATUS=no database at all")
    #expect(notices[2].hasPrefix("STOPPING=1"))
    #expect(receiver.waiting() == nil)
  }

  @Test("a startup that throws an error has failed")
  func fails() {
    let life = life()
    life.run { _ in throw Refusal() }
    guard case .failed(let error) = life.outcome else { return #expect(Bool(false)) }
    #expect(error is Refusal)
  }

  @Test("a daemon that finishes starting after a signal drains immediately")
  func drainsLate() {
    let (life, daemon) = (life(), Tracked())
    life.run { _ in
      life.take(SIGINT)
      return daemon
    }
    guard case .ended = life.outcome else { return #expect(Bool(false)) }
    #expect(daemon.calls.withLock(\.self) == ["drain", "wait"])
  }

  @Test("a reload requested during startup runs after it")
  func reloadsLate() {
    let (life, daemon) = (life(), Tracked())
    life.run { _ in
      life.take(SIGHUP)
      return daemon
    }
    #expect(daemon.calls.withLock(\.self) == ["reload", "wait"])
  }

  /// A daemon that ends by itself to be made again.
  private final class Returning: Daemon {
    let didServe: @Sendable () -> Void
    init(_ didServe: @escaping @Sendable () -> Void = {}) { self.didServe = didServe }
    func takePulse(_ answer: @escaping @Sendable () -> Void) { answer() }
    func reload(_ settings: SettingsReload) {}
    func drain() {}
    func hurry() {}
    func waitUntilStopped() { didServe() }
    var startsAgain: Bool { true }
  }

  @Test("a restarting daemon is created again, however often that fails")
  func returns() throws {
    let receiver = try DatagramReceiver(DatagramReceiver.abstractName())
    let (life, daemon) = (life(receiver), Tracked())
    var attempts = 0
    life.run { _ in
      attempts += 1
      switch attempts {
      case 1, 4: return Returning()
      case 2, 3: throw Refusal()
      default: return daemon
      }
    }
    guard case .ended = life.outcome else { return #expect(Bool(false)) }
    #expect(attempts == 5 && daemon.calls.withLock(\.self) == ["wait"])
    let notices = try (0..<6).map { _ in try receiver.next().prefix { $0 != "=" && $0 != "\n" } }
    #expect(
      notices == [
        "READY", "EXTEND_TIMEOUT_USEC", "EXTEND_TIMEOUT_USEC", "EXTEND_TIMEOUT_USEC", "READY",
        "READY",
      ])
  }

  @Test(
    "a signal ends a daemon that would restart, and the wait for the restart", arguments: [1, 2])
  func endsReturning(made: Int) {
    let life = life()
    var attempts = 0
    life.run { _ in
      attempts += 1
      guard attempts == 1 else {
        life.take(SIGTERM)
        throw Refusal()
      }
      return Returning { if made == 1 { life.take(SIGTERM) } }
    }
    #expect(attempts == made)
    switch life.outcome {
    case .ended: #expect(made == 1)
    case .cancelled: #expect(made == 2)
    case .failed: #expect(Bool(false))
    }
  }

  @Test("signals of a running daemon: reload, drain, stop immediately")
  func serves() {
    final class Serving: Daemon {
      let tracked = Tracked()
      let life: DaemonLife
      init(_ life: DaemonLife) { self.life = life }
      func takePulse(_ answer: @escaping @Sendable () -> Void) { answer() }
      func reload(_ settings: SettingsReload) { tracked.reload(settings) }
      func drain() { tracked.drain() }
      func hurry() { tracked.hurry() }
      func waitUntilStopped() {
        for signal in [SIGHUP, SIGTERM, SIGHUP, SIGTERM] { life.take(signal) }
      }
    }
    let life = life()
    let daemon = Serving(life)
    life.run { _ in daemon }
    life.take(SIGTERM)
    #expect(daemon.tracked.calls.withLock(\.self) == ["reload", "drain", "reload", "hurry"])
  }
}
