/// The spam-flood protection of one channel: a sliding window for each user that sends.
///
/// Windows that have run empty are dropped when the table has doubled since the last look, so
/// that an admission costs O(1) on average. At most `capacity` windows are kept: when all of them
/// are in use, a user without one is refused for as long as a window lasts.
package struct FloodGate<Key: Hashable & Sendable>: Sendable {
  /// The number of users that may have sent within one window, unless another is given.
  package static var defaultCapacity: Int { 100_000 }

  private static var smallestSweep: Int { 16 }

  private let capacity: Int
  private var windows: [Key: SlidingWindow] = [:]
  private var sweepSize: Int
  private var nextSweep = Int64.min

  package init(capacity: Int = Self.defaultCapacity) {
    self.capacity = max(1, capacity)
    sweepSize = min(Self.smallestSweep, self.capacity)
  }

  /// The number of users whose window is kept.
  package var windowCount: Int { windows.count }

  /// Admits one message of a user, or says how long until it would be.
  ///
  /// - Parameter now: Milliseconds; the time that the message would carry as `created_at`.
  /// - Returns: `nil` when admitted, else `retry_after_ms`, 1 to the window's length.
  package mutating func admit(_ user: Key, at now: Int64, limit: RateLimit) -> Int64? {
    guard !limit.isOff else { return nil }
    if windows[user] == nil, !makeRoom(at: now, limit: limit) { return limit.windowMilliseconds }
    return windows[user, default: SlidingWindow()].admit(at: now, limit: limit)
  }

  /// Takes back an admission whose message came to nothing.
  package mutating func retract(_ user: Key, at time: Int64) {
    windows[user]?.retract(at: time)
  }

  /// What `admit` would go by, without counting anything.
  package func usage(of user: Key, at now: Int64, limit: RateLimit) -> WindowUsage {
    guard !limit.isOff else { return WindowUsage() }
    if let window = windows[user] { return window.usage(at: now, limit: limit) }
    return WindowUsage(wait: hasRoom(at: now, limit: limit) ? nil : limit.windowMilliseconds)
  }

  /// Whether the window of one more user may be kept, once those that have run empty are dropped.
  private func hasRoom(at now: Int64, limit: RateLimit) -> Bool {
    guard windows.count >= capacity else { return true }
    return now >= nextSweep && windows.values.contains { $0.isEmpty(at: now, limit: limit) }
  }

  /// Drops the windows that have run empty, and says whether one more may be kept.
  private mutating func makeRoom(at now: Int64, limit: RateLimit) -> Bool {
    guard windows.count >= sweepSize else { return true }
    guard sweepSize < capacity || now >= nextSweep else { return windows.count < capacity }
    windows = windows.filter { !$0.value.isEmpty(at: now, limit: limit) }
    sweepSize = min(capacity, max(Self.smallestSweep, windows.count * 2))
    // A full table is looked through a few times per window, not at every refusal.
    let pause = max(1, limit.windowMilliseconds / 4)
    nextSweep = now.addingReportingOverflow(pause).partialValue
    return windows.count < capacity
  }
}
