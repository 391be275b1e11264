/// The spam-flood protection of one channel: windows and a byte budget for each active user.
///
/// Empty entries are dropped when the table has doubled since the last sweep, so an admission costs
/// O(1) on average. At most `capacity` entries are kept: when all of them are in use, a user
/// without an entry is refused for the length of a window.
package struct FloodGate<Key: Hashable & Sendable>: Sendable {
  /// The default number of users that may be active within one window.
  package static var defaultCapacity: Int { 100_000 }

  private static var smallestSweep: Int { 16 }

  private let capacity: Int
  private var flows: [Key: UserFlow] = [:]
  private var sweepSize: Int
  private var nextSweep = Int64.min

  package init(capacity: Int = Self.defaultCapacity) {
    self.capacity = max(1, capacity)
    sweepSize = min(Self.smallestSweep, self.capacity)
  }

  /// The number of users whose windows are kept.
  package var windowCount: Int { flows.count }

  /// Admits one activity of a user, or returns the refusal with its duration.
  ///
  /// - Parameters:
  ///   - user: The user.
  ///   - activity: The window that it counts in.
  ///   - bytes: The size as far as it is known; see ``charge(_:bytes:at:limit:rate:)``.
  ///   - now: Milliseconds; the time that a message would carry as `created_at`.
  ///   - limit: The limit of each activity's window.
  ///   - rate: The limit of bytes; without one, the limit that matches `limit`.
  package mutating func admit(
    _ user: Key, _ activity: FloodActivity = .send, bytes: Int = 0, at now: Int64,
    limit: RateLimit, rate: ByteRate? = nil
  ) -> FloodRefusal? {
    guard !limit.isOff else { return nil }
    let rate = rate ?? ByteRate(beside: limit)
    if flows[user] == nil, !makeRoom(at: now, limit: limit, rate: rate) {
      return FloodRefusal(.window(activity), wait: limit.windowMilliseconds)
    }
    return flows[user, default: UserFlow()].admit(
      activity, bytes: bytes, at: now, limit: limit, rate: rate)
  }

  /// Admits bytes of an event that counts in no window, or returns the refusal with its duration.
  ///
  /// - Parameter rate: The limit of bytes; without one, the limit that matches `limit`.
  package mutating func admitBytes(
    _ count: Int, of user: Key, at now: Int64, limit: RateLimit, rate: ByteRate? = nil
  ) -> FloodRefusal? {
    guard !limit.isOff else { return nil }
    let rate = rate ?? ByteRate(beside: limit)
    if flows[user] == nil, !makeRoom(at: now, limit: limit, rate: rate) {
      return FloodRefusal(.bytes, wait: limit.windowMilliseconds)
    }
    return flows[user, default: UserFlow()].admitBytes(count, at: now, rate: rate)
  }

  /// Counts a send that was admitted before the channel was loaded.
  package mutating func restore(_ user: Key, at time: Int64, limit: RateLimit) {
    let rate = ByteRate(beside: limit)
    guard !limit.isOff, flows[user] != nil || makeRoom(at: time, limit: limit, rate: rate) else {
      return
    }
    flows[user, default: UserFlow()].record(.send, bytes: 0, at: time, limit: limit, rate: rate)
  }

  /// Retracts an admission that was not used.
  package mutating func retract(
    _ user: Key, _ activity: FloodActivity = .send, bytes: Int = 0, at time: Int64
  ) {
    flows[user]?.retract(activity, bytes: bytes, at: time)
  }

  /// Puts back bytes that were admitted on their own and not used.
  package mutating func putBack(_ bytes: Int, of user: Key) { flows[user]?.putBack(bytes) }

  /// Charges the user's budget for bytes that an admission did not account for.
  package mutating func charge(
    _ user: Key, bytes: Int, at now: Int64, limit: RateLimit, rate: ByteRate
  ) {
    // The user's entry may have become empty, and been dropped, since the admission.
    guard !limit.isOff, flows[user] != nil || makeRoom(at: now, limit: limit, rate: rate) else {
      return
    }
    flows[user, default: UserFlow()].charge(bytes, at: now, rate: rate)
  }

  /// The window that `admit` would check, without counting anything.
  package func usage(
    of user: Key, _ activity: FloodActivity = .send, at now: Int64, limit: RateLimit
  ) -> WindowUsage {
    guard !limit.isOff else { return WindowUsage() }
    let rate = ByteRate(beside: limit)
    if let flow = flows[user] {
      return flow.usage(activity, at: now, limit: limit, rate: rate)
    }
    return WindowUsage(
      wait: hasRoom(at: now, limit: limit, rate: rate) ? nil : limit.windowMilliseconds)
  }

  /// Whether one more user's windows may be kept, once empty ones are dropped.
  private func hasRoom(at now: Int64, limit: RateLimit, rate: ByteRate) -> Bool {
    guard flows.count >= capacity else { return true }
    return now >= nextSweep
      && flows.values.contains { $0.isEmpty(at: now, limit: limit, rate: rate) }
  }

  /// Drops empty windows, and returns whether one more may be kept.
  private mutating func makeRoom(at now: Int64, limit: RateLimit, rate: ByteRate) -> Bool {
    guard flows.count >= sweepSize else { return true }
    guard sweepSize < capacity || now >= nextSweep else { return flows.count < capacity }
    flows = flows.filter { !$0.value.isEmpty(at: now, limit: limit, rate: rate) }
    sweepSize = min(capacity, max(Self.smallestSweep, flows.count * 2))
    // A full table is swept a few times per window, not at every refusal.
    let pause = max(1, limit.windowMilliseconds / 4)
    nextSweep = now.addingReportingOverflow(pause).partialValue
    return flows.count < capacity
  }
}
