import Configuration
import Reactor
import Synchronization
import Telemetry

/// The outcomes of reloads of the settings, for metrics.
final class ReloadRecord: Sendable {
  private struct State {
    /// Unix milliseconds.
    var adoptedAt: Int64
    var isRefused = false
    var postponedCount = 0
  }

  private let state: Mutex<State>

  /// - Parameter start: The time at which the first settings were read, in Unix milliseconds.
  init(at start: Int64 = SystemClock.unixMilliseconds) { state = Mutex(State(adoptedAt: start)) }

  /// - Parameter now: Unix milliseconds.
  func note(_ reload: SettingsReload, at now: Int64) {
    state.withLock { state in
      switch reload {
      case .adopted(let change):
        state = State(adoptedAt: now, postponedCount: change.postponed.count)
      case .refused: state.isRefused = true
      }
    }
  }

  var samples: [MetricSample] {
    let state = state.withLock(\.self)
    return [
      MetricSample(
        "parley_settings_reloaded", .gauge, "0 while the last reload of the settings was refused.",
        state.isRefused ? 0 : 1),
      .seconds(
        "parley_settings_loaded_at_seconds", "Unix time at which the settings in force were read.",
        state.adoptedAt),
      MetricSample(
        "parley_settings_awaiting_restart", .gauge,
        "Settings that were changed and hold from the next start on.", state.postponedCount),
    ]
  }
}
