/// An activity of a user in a channel that has its own flood window.
package enum FloodActivity: Sendable, Hashable, CaseIterable {
  /// Sending messages.
  case send
  /// Changing messages or the channel.
  case change
}

/// A refusal by spam-flood protection: its reason, and the time until a retry can succeed.
package struct FloodRefusal: Sendable, Hashable {
  package enum Cause: Sendable, Hashable {
    /// The activity's window is full.
    case window(FloodActivity)
    /// The byte budget is used up.
    case bytes
  }

  package let cause: Cause
  /// Milliseconds until the same activity would be admitted, at least 1.
  package let wait: Int64

  package init(_ cause: Cause, wait: Int64) {
    self.cause = cause
    self.wait = wait
  }
}

/// The activity of one user in one channel: a sliding window for each kind, and a byte budget for
/// both.
struct UserFlow: Sendable {
  private var sends = SlidingWindow()
  private var changes = SlidingWindow()
  private var bytes = ByteBucket()

  /// Admits one activity, or returns the refusal, which changes nothing.
  mutating func admit(
    _ activity: FloodActivity, bytes count: Int, at now: Int64, limit: RateLimit, rate: ByteRate
  ) -> FloodRefusal? {
    if let refusal = refusal(of: activity, bytes: count, at: now, limit: limit, rate: rate) {
      return refusal
    }
    record(activity, bytes: count, at: now, limit: limit, rate: rate)
    return nil
  }

  /// Counts one activity without checking whether there is room for it.
  mutating func record(
    _ activity: FloodActivity, bytes count: Int, at now: Int64, limit: RateLimit, rate: ByteRate
  ) {
    switch activity {
    case .send: sends.record(at: now, limit: limit)
    case .change: changes.record(at: now, limit: limit)
    }
    bytes.take(count, at: now, rate: rate)
  }

  /// Retracts an admission that was not used.
  mutating func retract(_ activity: FloodActivity, bytes count: Int, at time: Int64) {
    switch activity {
    case .send: sends.retract(at: time)
    case .change: changes.retract(at: time)
    }
    bytes.putBack(count)
  }

  /// Takes bytes of an event that counts in no window, or returns the refusal, which changes nothing.
  mutating func admitBytes(_ count: Int, at now: Int64, rate: ByteRate) -> FloodRefusal? {
    if let wait = bytes.wait(for: count, at: now, rate: rate) {
      return FloodRefusal(.bytes, wait: wait)
    }
    bytes.take(count, at: now, rate: rate)
    return nil
  }

  /// Puts back bytes that were not used.
  mutating func putBack(_ count: Int) { bytes.putBack(count) }

  /// Charges bytes that an admission did not account for.
  mutating func charge(_ count: Int, at now: Int64, rate: ByteRate) {
    bytes.take(count, at: now, rate: rate)
  }

  /// The state of an activity's window, with the wait for an activity of zero bytes.
  func usage(
    _ activity: FloodActivity, at now: Int64, limit: RateLimit, rate: ByteRate
  )
    -> WindowUsage
  {
    var usage = window(activity).usage(at: now, limit: limit)
    if let wait = bytes.wait(for: 0, at: now, rate: rate) {
      usage.wait = max(usage.wait ?? 0, wait)
    }
    return usage
  }

  /// Whether the value can be replaced by a new one.
  func isEmpty(at now: Int64, limit: RateLimit, rate: ByteRate) -> Bool {
    sends.isEmpty(at: now, limit: limit) && changes.isEmpty(at: now, limit: limit)
      && bytes.isFull(at: now, rate: rate)
  }

  private func refusal(
    of activity: FloodActivity, bytes count: Int, at now: Int64, limit: RateLimit, rate: ByteRate
  ) -> FloodRefusal? {
    let windowWait = window(activity).wait(at: now, limit: limit) ?? 0
    let byteWait = bytes.wait(for: count, at: now, rate: rate) ?? 0
    guard windowWait > 0 || byteWait > 0 else { return nil }
    return windowWait >= byteWait
      ? FloodRefusal(.window(activity), wait: windowWait) : FloodRefusal(.bytes, wait: byteWait)
  }

  private func window(_ activity: FloodActivity) -> SlidingWindow {
    switch activity {
    case .send: sends
    case .change: changes
    }
  }
}
