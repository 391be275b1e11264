internal import Configuration
internal import Glibc
internal import Logging
internal import Reactor
internal import Synchronization

/// Keeps the supervisor informed, if there is one; otherwise does nothing.
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

  /// Notifies the supervisor that the daemon is serving, and starts the watchdog notifications.
  func didStart(_ daemon: any Daemon) {
    notify(.ready)
    guard let watchdogPeriod else { return }
    let isFirst = watched.begin(Watchdog(daemon) { [self] in notify(.alive) })
    if isFirst { watch(every: watchdogPeriod / 2) }
  }

  /// Records that the daemon has ended; another may follow.
  func didEnd() { watched.end() }

  /// Notifies the supervisor that the start takes longer.
  func isWaiting(for reason: String) {
    notify(.waiting(reason))
    // Required after the first daemon has started, even while another one is created.
    if watched.hasBegun { notify(.alive) }
  }

  /// Reloads the daemon, and notifies the supervisor of the start and the outcome.
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

  /// Watches the daemons until the process ends, including while they drain.
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

/// The watchdog of the daemon that is serving.
private final class Watched: Sendable {
  private let state = Mutex<(watchdog: Watchdog?, hasBegun: Bool)>((nil, false))

  var current: Watchdog? { state.withLock(\.watchdog) }

  /// Whether watchdog notifications are expected.
  var hasBegun: Bool { state.withLock(\.hasBegun) }

  /// - Returns: Whether it is the first daemon.
  func begin(_ watchdog: Watchdog) -> Bool {
    state.withLock { state in
      defer { state = (watchdog, true) }
      return !state.hasBegun
    }
  }

  func end() { state.withLock { $0.watchdog = nil } }
}

/// Sends watchdog notifications to a supervisor while all event loops of the daemon take turns.
///
/// Each notification waits for an answer of every loop, so it is not sent when a loop is stuck.
final class Watchdog: Sendable {
  private let daemon: any Daemon
  private let sign: @Sendable () -> Void
  private let isWaiting = Atomic(false)

  /// - Parameter sign: Called from any thread when all loops have answered.
  init(_ daemon: any Daemon, sign: @escaping @Sendable () -> Void) {
    self.daemon = daemon
    self.sign = sign
  }

  /// Queries the loops, unless a query is still unanswered; to be called at half of the period.
  func tick() {
    guard !isWaiting.exchange(true, ordering: .acquiringAndReleasing) else { return }
    daemon.takePulse { [self] in
      sign()
      isWaiting.store(false, ordering: .releasing)
    }
  }
}

/// The interval in which a supervisor expects notifications, as in sd_watchdog_enabled(3).
enum WatchdogPeriod {
  /// The number of microseconds after which the supervisor considers the process dead; `nil` when it
  /// does not watch it, or watches another process.
  static func microseconds(environment: [String: String], processID: Int32) -> UInt64? {
    if let watched = environment["WATCHDOG_PID"], watched != String(processID) { return nil }
    guard let period = environment["WATCHDOG_USEC"].flatMap({ UInt64($0) }), period > 0 else {
      return nil
    }
    return period
  }
}
