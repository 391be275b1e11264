import FloodControl
import ParleyProtocol
import Reactor
import Synchronization

/// The windows of users for sends to all channels together, on all shards of this server.
///
/// A window is kept while a session of the user uses it, and until it is empty.
final class UserFlood: Sendable {
  private struct State {
    var windows: [String: UserSendWindow] = [:]
    /// Unused windows are dropped when there are this many.
    var sweepSize = UserFlood.smallestSweep
  }

  private static let smallestSweep = 1_000

  private let state = Mutex(State())

  /// The number of users whose windows are kept.
  var windowCount: Int { state.withLock { $0.windows.count } }

  /// Returns the window of a user, which its caller leaves in the end.
  func join(_ userID: String, limit: RateLimit) -> UserSendWindow {
    state.withLock { state in
      if let window = state.windows[userID] {
        window.join()
        return window
      }
      if state.windows.count >= state.sweepSize {
        state.windows = state.windows.filter { !$0.value.isUnused(limit: limit) }
        state.sweepSize = max(Self.smallestSweep, 2 * state.windows.count)
      }
      let window = UserSendWindow()
      state.windows[userID] = window
      window.join()
      return window
    }
  }

  /// The usage of a user's window, which is not changed.
  func usage(of userID: String, limit: RateLimit) -> WindowUsage {
    state.withLock { $0.windows[userID] }?.usage(limit: limit) ?? WindowUsage()
  }

  /// Takes a place for a message that is not from an open session.
  ///
  /// - Returns: The time of the place; `nil` while the limit is off.
  /// - Throws: 900200.
  func take(of userID: String, limit: RateLimit) throws(ServiceError) -> Int64? {
    guard !limit.isOff else { return nil }
    let window = join(userID, limit: limit)
    defer { window.leave() }
    return try window.take(limit: limit)
  }

  /// Gives back the place of such a message, which was refused.
  func giveBack(_ time: Int64?, of userID: String) {
    guard let time else { return }
    state.withLock { $0.windows[userID] }?.giveBack(time)
  }
}

extension ServiceError {
  /// The user has sent too many messages to all channels together.
  static func userFlood(retryAfter wait: Int64, _ limit: RateLimit) -> ServiceError {
    .userFlood(retryAfter: wait, limit: limit.count, window: limit.windowMilliseconds)
  }
}

/// The window of a user for sends to all channels together.
final class UserSendWindow: Sendable {
  private struct State {
    var window = SlidingWindow()
    var userCount = 0
  }

  private let state = Mutex(State())
  /// Milliseconds of a steady clock.
  private let now: @Sendable () -> Int64

  init(now: @escaping @Sendable () -> Int64 = { SystemClock.monotonicMilliseconds }) {
    self.now = now
  }

  func join() { state.withLock { $0.userCount += 1 } }

  func leave() { state.withLock { $0.userCount -= 1 } }

  /// Whether nothing is lost with the window.
  func isUnused(limit: RateLimit) -> Bool {
    state.withLock { $0.userCount == 0 && $0.window.isEmpty(at: now(), limit: limit) }
  }

  /// Takes a place in the window.
  ///
  /// - Returns: Its time.
  /// - Throws: 900200.
  func take(limit: RateLimit) throws(ServiceError) -> Int64 {
    let (time, wait) = state.withLock { state in
      // Read under the lock, so that times do not decrease, and a place is found again by its time.
      let time = now()
      return (time, state.window.admit(at: time, limit: limit))
    }
    guard let wait else { return time }
    throw .userFlood(retryAfter: wait, limit)
  }

  /// The usage of the window, which is not changed.
  func usage(limit: RateLimit) -> WindowUsage {
    state.withLock { $0.window.usage(at: now(), limit: limit) }
  }

  /// Gives back the place of a message that was refused.
  func giveBack(_ time: Int64) { state.withLock { $0.window.retract(at: time) } }
}
