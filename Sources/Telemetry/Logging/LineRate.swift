/// Lets the first few lines of each second through and counts the others, so that what clients can
/// cause does not fill the log.
package struct LineRate: Sendable {
  private let limit: Int
  private let period: Int64
  private var start = Int64.min
  private var written = 0
  private var suppressed = 0

  /// - Parameters:
  ///   - limit: Lines in each period.
  ///   - period: Milliseconds.
  package init(limit: Int = 5, period: Int64 = 1000) {
    self.limit = limit
    self.period = period
  }

  /// Whether a line may be written now; if not it is counted.
  ///
  /// - Parameter now: Milliseconds of a steady clock.
  package mutating func admit(at now: Int64) -> Bool {
    if now >= nextStart {
      start = now
      written = 0
    }
    guard written < limit else {
      suppressed += 1
      return false
    }
    written += 1
    return true
  }

  /// Whether lines were counted whose number has not been taken.
  package var hasSuppressed: Bool { suppressed > 0 }

  /// The number of lines that were not written, once their period is over; `nil` when there are none.
  package mutating func takeSuppressed(at now: Int64) -> Int? {
    guard suppressed > 0, now >= nextStart else { return nil }
    defer { suppressed = 0 }
    return suppressed
  }

  private var nextStart: Int64 {
    let (end, isOverflow) = start.addingReportingOverflow(period)
    return isOverflow ? .max : end
  }
}
