internal import Configuration
internal import Glibc
internal import Logging
internal import Reactor
internal import Synchronization

/// Keeps the supervisor informed, if there is one; else does nothing.
struct Supervision: Sendable {
  private let supervisor: Supervisor?
  private let watchdogPeriod: UInt64?
  private let logger: Logger
  private let watched = Watched()

  init(environment: [String: String], logger: Logger) {
    self.logger = logger
    supervisor = Supervisor(environment: environment)
    watchdogPeriod =
      supervisor == nil
      ? nil : WatchdogPeriod.microseconds(environment: environment, processID: getpid())
    if supervisor == nil, let text = environment["NOTIFY_SOCKET"], !text.isEmpty {
      logger.warning("NOTIFY_SOCKET is not a usable address", metadata: ["address": "\(text)"])
    }
  }

  /// Notifies the supervisor that the daemon serves, and begins the signs of life.
  func didStart(_ daemon: any Daemon) {
    notify(.ready)
    guard let watchdogPeriod else { return }
    let isFirst = watched.begin(Watchdog(daemon) { [self] in notify(.alive) })
    if isFirst { watch(every: watchdogPeriod / 2) }
  }

  /// Takes note that the daemon has ended; another may follow.
  func didEnd() { watched.end() }

  /// Notifies the supervisor that the start takes longer.
  func isWaiting(for reason: String) {
    notify(.waiting(reason))
    // Expected from the first daemon on, also while another is made.
    if watched.hasBegun { notify(.alive) }
  }

  /// Reloads the daemon, and notifies the supervisor of the beginning and the outcome.
  func reloading(_ reload: () -> SettingsReload) {
    notify(.reloading(at: SystemClock.monotonicNanoseconds / 1000))
    switch reload() {
    case .adopted: notify(.ready)
    case .refused: notify(.refusedReload)
    }
  }

  func isStopping() {
    notify(.stopping)
  }

  private func notify(_ notice: Notice) {
    do {
      try supervisor?.notify(notice)
    } catch {
      logger.warning("the supervisor cannot be notified", metadata: ["reason": "\(error)"])
    }
  }

  /// Watches the daemons until the process ends, also while they drain.
  private func watch(every microseconds: UInt64) {
    let pause = timespec(
      tv_sec: Int(clamping: microseconds / 1_000_000),
      tv_nsec: Int(max(microseconds, 1) % 1_000_000 * 1000))
    do {
      _ = try Thread(name: "watchdog") {
        while true {
          watched.current?.tick()
          var (wanted, rest) = (pause, timespec())
          while nanosleep(&wanted, &rest) != 0, errno == EINTR { wanted = rest }
        }
      }
    } catch {
      logger.warning("the supervisor gets no signs of life", metadata: ["reason": "\(error)"])
    }
  }
}

/// The watchdog of the daemon that serves.
private final class Watched: Sendable {
  private let state = Mutex<(watchdog: Watchdog?, hasBegun: Bool)>((nil, false))

  var current: Watchdog? { state.withLock(\.watchdog) }

  /// Whether signs of life are expected.
  var hasBegun: Bool { state.withLock(\.hasBegun) }

  /// - Returns: Whether it is the first.
  func begin(_ watchdog: Watchdog) -> Bool {
    state.withLock { state in
      defer { state = (watchdog, true) }
      return !state.hasBegun
    }
  }

  func end() { state.withLock { $0.watchdog = nil } }
}

/// Sends a supervisor signs of life for as long as all event loops of the daemon take turns.
///
/// Each sign waits for an answer of every loop, so the supervisor misses it when one is stuck.
final class Watchdog: Sendable {
  private let daemon: any Daemon
  private let sign: @Sendable () -> Void
  private let isWaiting = Atomic(false)

  /// - Parameter sign: Called from any thread when all loops have answered.
  init(_ daemon: any Daemon, sign: @escaping @Sendable () -> Void) {
    self.daemon = daemon
    self.sign = sign
  }

  /// Queries the loops, unless they still owe an answer; to be called at half of the period.
  func tick() {
    guard !isWaiting.exchange(true, ordering: .acquiringAndReleasing) else { return }
    daemon.takePulse { [self] in
      sign()
      isWaiting.store(false, ordering: .releasing)
    }
  }
}

/// The interval in which a supervisor expects signs of life, as in sd_watchdog_enabled(3).
enum WatchdogPeriod {
  /// Microseconds after which the supervisor takes the process for dead; `nil` when it does not
  /// watch, or watches another process.
  static func microseconds(environment: [String: String], processID: Int32) -> UInt64? {
    if let watched = environment["WATCHDOG_PID"], watched != String(processID) { return nil }
    guard let period = environment["WATCHDOG_USEC"].flatMap({ UInt64($0) }), period > 0 else {
      return nil
    }
    return period
  }
}
