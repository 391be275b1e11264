import Reactor
import Synchronization
import Transport

/// Counts false keys for files by the addresses that they come from.
final class FailedKeys: Sendable {
  /// `nil` for loopback addresses and unknown ones, which are counted together.
  typealias Address = AddressKey?

  private struct State {
    var counts: [Address: Int] = [:]
    /// The second of the counts.
    var second: Int64 = 0
    /// 0 for any number.
    var limit: Int
  }

  private let state: Mutex<State>

  /// - Parameter limit: 0 for any number.
  init(perSecond limit: Int) { state = Mutex(State(limit: limit)) }

  /// The keys of an address in one second; 0 for any number.
  var limit: Int {
    get { state.withLock { $0.limit } }
    set { state.withLock { $0.limit = newValue } }
  }

  /// Counts a false key.
  ///
  /// - Returns: Whether the address has brought no more than it may in this second.
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

/// Counts of encrypted files and of the keys for them on this server.
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
