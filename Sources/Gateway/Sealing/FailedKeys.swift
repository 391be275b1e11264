import Reactor
import Synchronization
import Transport

/// Counts invalid file keys by client address.
final class FailedKeys: Sendable {
  /// `nil` for loopback and unknown addresses, which are counted together.
  typealias Address = AddressKey?

  private struct State {
    var counts: [Address: Int] = [:]
    /// The second in which the keys were counted.
    var second: Int64 = 0
    /// 0 means no limit.
    var limit: Int
  }

  private let state: Mutex<State>

  /// - Parameter limit: 0 means no limit.
  init(perSecond limit: Int) { state = Mutex(State(limit: limit)) }

  /// The number of invalid keys per address and second; 0 means no limit.
  var limit: Int {
    get { state.withLock { $0.limit } }
    set { state.withLock { $0.limit = newValue } }
  }

  /// Counts an invalid key.
  ///
  /// - Returns: Whether the address is still within its limit for this second.
  func admit(_ address: Address, at now: Int64 = SystemClock.monotonicMilliseconds) -> Bool {
    state.withLock { state in
      guard state.limit > 0 else { return true }
      if state.second != now / 1_000 {
        state.second = now / 1_000
        state.counts.removeAll(keepingCapacity: state.counts.count < 1_024)
      }
      let count = state.counts[address, default: 0]
      guard count < state.limit else { return false }
      state.counts[address] = count + 1
      return true
    }
  }
}

/// Counts of encrypted files and of file keys on this server.
final class FileVaultCounters: Sendable {
  enum Event: Int, CaseIterable, Sendable {
    case given
    case refused
    case slowed
    case forbidden
    case damaged
    case keyMissing
    case converted
    case rewrapped
  }

  private let counts = Mutex([UInt64](repeating: 0, count: Event.allCases.count))

  func add(_ event: Event) { counts.withLock { $0[event.rawValue] += 1 } }

  func count(of event: Event) -> UInt64 { counts.withLock { $0[event.rawValue] } }
}
