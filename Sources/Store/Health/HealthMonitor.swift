import Logging
import Synchronization

/// Keeps the store's health and logs each change of it once.
final class HealthMonitor: Sendable {
  private struct State {
    var health = StoreHealth.healthy
    var lastProbe: UInt64 = 0
  }

  private let state = Mutex(State())
  private let logger: Logger

  init(logger: Logger) {
    self.logger = logger
  }

  var current: StoreHealth { state.withLock { $0.health } }

  var isFailing: Bool { current != .healthy }

  /// Takes note of an outcome; one that changes neither way is not logged.
  func report(_ health: StoreHealth) {
    let previous = state.withLock { state in
      defer { state.health = health }
      return state.health
    }
    switch (previous, health) {
    case (.healthy, .failing(let reason)):
      logger.error("the store cannot write", metadata: ["reason": "\(reason)"])
    case (.failing, .healthy):
      logger.notice("the store can write again")
    case (.healthy, .healthy), (.failing, .failing):
      break
    }
  }

  /// Whether the wait since the last probe is over; if so the next begins.
  func isProbeDue(at now: UInt64, everyMilliseconds interval: Int) -> Bool {
    state.withLock { state in
      guard now >= state.lastProbe &+ UInt64(max(0, interval)) &* 1_000_000 else { return false }
      state.lastProbe = now
      return true
    }
  }
}
