internal import Foundation
internal import Logging
internal import Reactor

/// Keeps the supervisor informed, if there is one; else does nothing.
struct Supervision: Sendable {
  private let supervisor: Supervisor?
  private let watchdogPeriod: UInt64?
  private let logger: Logger

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

  /// The daemon serves: says so, and from now on that it lives.
  func didStart(_ daemon: any Daemon) {
    tell(.ready)
    if let watchdogPeriod { watch(daemon, every: watchdogPeriod / 2) }
  }

  /// Says that files are read again while that is done.
  func reloading(_ reload: () -> Void) {
    tell(.reloading(at: SystemClock.monotonicNanoseconds / 1000))
    reload()
    tell(.ready)
  }

  func isStopping() {
    tell(.stopping)
  }

  private func tell(_ notice: Notice) {
    do {
      try supervisor?.tell(notice)
    } catch {
      logger.warning("the supervisor cannot be notified", metadata: ["reason": "\(error)"])
    }
  }

  /// Runs until the process ends: what it says while that drains still counts.
  private func watch(_ daemon: any Daemon, every microseconds: UInt64) {
    let watchdog = Watchdog(daemon) { [self] in tell(.alive) }
    let pause = Double(max(microseconds, 1)) / 1_000_000
    let thread = Foundation.Thread {
      while true {
        watchdog.tick()
        Foundation.Thread.sleep(forTimeInterval: pause)
      }
    }
    thread.name = "watchdog"
    thread.start()
  }
}
