/// At most `count` admissions in any interval `[t, t + window)`.
///
/// Keeps the times of the last `count` admissions in a ring, whatever the window's length. It is
/// therefore exact while the count is constant, and also when the count changes, as long as the
/// window's length is constant and every event passed ``admit(at:limit:)``. Right after the count
/// has grown, events beyond the former count may be missing if they were only recorded. A window
/// without admissions uses no heap; otherwise 8 bytes for each time it keeps.
///
///     ring (count 5)    t₀ t₁ t₂ t₃ t₄      room at t  ⇔  t − t₀ ≥ window
///
/// All times are milliseconds of one clock, passed by the caller. A time earlier than the last
/// admission counts as equal to it.
package struct SlidingWindow: Sendable {
  private var times = AdmissionRing()

  package init() {}

  /// Admits one event, or returns the time until it can be admitted.
  ///
  /// - Returns: `nil` if admitted, otherwise the wait in milliseconds, 1 to the window's length. A
  ///   refusal changes nothing.
  package mutating func admit(at now: Int64, limit: RateLimit) -> Int64? {
    guard !limit.isOff else { return nil }
    let time = effectiveTime(now)
    if let wait = wait(atEffective: time, limit: limit) { return wait }
    times.append(time, keeping: limit.boundedCount)
    return nil
  }

  /// Counts one event without checking whether there is room for it.
  ///
  /// Nothing is counted while the limit is off.
  package mutating func record(at now: Int64, limit: RateLimit) {
    guard !limit.isOff else { return }
    times.append(effectiveTime(now), keeping: limit.boundedCount)
  }

  /// Whether `admit` would admit at this time.
  package func hasRoom(at now: Int64, limit: RateLimit) -> Bool {
    wait(at: now, limit: limit) == nil
  }

  /// Retracts one admission that was counted at exactly this time.
  ///
  /// For an event that was admitted and then not carried out. Does nothing if no such admission is
  /// recorded.
  package mutating func retract(at time: Int64) {
    times.removeNewest(equalTo: time)
  }

  /// Whether the window that ends now has no admissions, and so can be replaced by an empty one.
  package func isEmpty(at now: Int64, limit: RateLimit) -> Bool {
    guard !limit.isOff, let last = times.last else { return true }
    return elapsed(since: last, until: now) >= limit.windowMilliseconds
  }

  /// The usage of the window, which is not changed.
  package func usage(at now: Int64, limit: RateLimit) -> WindowUsage {
    guard !limit.isOff else { return WindowUsage() }
    let time = effectiveTime(now)
    var used = 0
    while let admission = times.fromNewest(used + 1),
      elapsed(since: admission, until: time) < limit.windowMilliseconds
    {
      used += 1
    }
    return WindowUsage(used: used, wait: wait(at: now, limit: limit))
  }

  /// The milliseconds until `admit` would admit an event; `nil` if it would do so at once.
  func wait(at now: Int64, limit: RateLimit) -> Int64? {
    limit.isOff ? nil : wait(atEffective: effectiveTime(now), limit: limit)
  }

  /// The wait under a limit that is on.
  private func wait(atEffective time: Int64, limit: RateLimit) -> Int64? {
    guard let blocking = times.fromNewest(limit.boundedCount) else { return nil }
    let elapsed = elapsed(since: blocking, until: time)
    return elapsed >= limit.windowMilliseconds ? nil : limit.windowMilliseconds - elapsed
  }

  private func effectiveTime(_ now: Int64) -> Int64 {
    max(now, times.last ?? now)
  }

  private func elapsed(since time: Int64, until now: Int64) -> Int64 {
    guard now > time else { return 0 }
    let (difference, overflow) = now.subtractingReportingOverflow(time)
    return overflow ? .max : difference
  }
}

/// The number of events that a sliding window admits, and the length of that window.
///
/// The limit is off if either number is 0. Counts above ``maximumCount`` act as that number.
package struct RateLimit: Sendable, Hashable {
  /// The largest count that a window keeps track of.
  package static let maximumCount = 10_000

  /// Admissions in any interval of the window's length.
  package var count: Int
  /// Length of the window in milliseconds.
  package var windowMilliseconds: Int64

  package init(count: Int, windowMilliseconds: Int64) {
    self.count = count
    self.windowMilliseconds = windowMilliseconds
  }

  /// No limit.
  package static let off = RateLimit(count: 0, windowMilliseconds: 1_000)

  /// Whether the limit is off.
  package var isOff: Bool { count <= 0 || windowMilliseconds <= 0 }

  /// The count that windows enforce.
  var boundedCount: Int { min(count, Self.maximumCount) }
}

/// The usage of a sliding window at some time.
package struct WindowUsage: Sendable, Hashable {
  /// Admissions within the window that ends at that time.
  package var used: Int
  /// Milliseconds until the next event can be admitted; `nil` if it can be admitted at once.
  package var wait: Int64?

  package init(used: Int = 0, wait: Int64? = nil) {
    self.used = used
    self.wait = wait
  }
}

/// The newest admission times, oldest first, in a ring that grows only on demand.
///
/// Takes 16 bytes when empty. Appended times never decrease.
struct AdmissionRing: Sendable {
  private var storage: [Int64] = []
  private var head: UInt32 = 0
  private var length: UInt32 = 0

  /// The newest time.
  var last: Int64? { fromNewest(1) }

  /// The `position`-th time counted back from the newest, which is the first; `nil` if there are
  /// fewer.
  func fromNewest(_ position: Int) -> Int64? {
    guard position >= 1, position <= Int(length) else { return nil }
    return storage[slot(Int(length) - position)]
  }

  /// Appends a time, and drops the oldest if `capacity` times are already kept.
  ///
  /// A smaller capacity than before drops nothing at once: the limit may grow again.
  mutating func append(_ time: Int64, keeping capacity: Int) {
    if Int(length) == storage.count, storage.count < capacity {
      grow(to: min(capacity, max(4, storage.count * 2)))
    }
    if Int(length) < storage.count {
      storage[slot(Int(length))] = time
      length += 1
    } else {
      storage[Int(head)] = time
      head = UInt32(slot(1))
    }
  }

  /// Removes the newest entry that equals `time`, if any.
  mutating func removeNewest(equalTo time: Int64) {
    var index = Int(length) - 1
    while index >= 0, storage[slot(index)] > time { index -= 1 }
    guard index >= 0, storage[slot(index)] == time else { return }
    while index < Int(length) - 1 {
      storage[slot(index)] = storage[slot(index + 1)]
      index += 1
    }
    length -= 1
    if length == 0 { self = AdmissionRing() }
  }

  private mutating func grow(to capacity: Int) {
    var grown: [Int64] = []
    grown.reserveCapacity(capacity)
    for index in 0..<Int(length) { grown.append(storage[slot(index)]) }
    grown.append(contentsOf: repeatElement(0, count: capacity - Int(length)))
    storage = grown
    head = 0
  }

  private func slot(_ index: Int) -> Int {
    let position = Int(head) + index
    return position < storage.count ? position : position - storage.count
  }
}
