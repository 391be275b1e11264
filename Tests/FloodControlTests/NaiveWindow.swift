@testable import FloodControl

/// The rule of the sliding window, written down as it is said, with everything remembered.
struct NaiveWindow {
  private(set) var admissions: [Int64] = []

  /// Room: fewer than `count` admissions with `now − window < t ≤ now`.
  func hasRoom(at now: Int64, _ limit: RateLimit) -> Bool {
    limit.isOff || inWindow(endingAt: now, limit).count < limit.count
  }

  /// The first wait after which there is room, found by trying each.
  func wait(at now: Int64, _ limit: RateLimit) -> Int64? {
    let now = max(now, admissions.last ?? now)
    if hasRoom(at: now, limit) { return nil }
    return (1...limit.windowMilliseconds).first { hasRoom(at: now + $0, limit) }
  }

  mutating func record(at now: Int64, _ limit: RateLimit) {
    if !limit.isOff { admissions.append(max(now, admissions.last ?? now)) }
  }

  mutating func retract(at time: Int64) {
    if let index = admissions.lastIndex(of: time) { admissions.remove(at: index) }
  }

  func inWindow(endingAt now: Int64, _ limit: RateLimit) -> [Int64] {
    admissions.filter { now - limit.windowMilliseconds < $0 && $0 <= now }
  }

  /// The most admissions that any stretch `[t, t + window)` holds.
  func densest(_ window: Int64) -> Int {
    admissions.map { start in admissions.filter { start <= $0 && $0 < start + window }.count }
      .max() ?? 0
  }
}
