/// The times at which a server reads the lanes, into which other servers may have added entries.
///
/// Has no clock: times are any milliseconds that never go back.
package struct SurveySchedule: Sendable {
  /// The time of the next survey; `nil` while one is in progress.
  package private(set) var due: Int64? = .min
  private var began = Int64.min
  /// The duration of the last survey.
  private var duration: Int64 = 0
  private var ended = Int64.min
  private var isHinted = false

  /// The maximum time without a survey, in milliseconds: a lost hint delays an entry for that long.
  private static let interval: Int64 = 1_000

  package init() {}

  package mutating func begin(at now: Int64) {
    due = nil
    began = now
    isHinted = false
  }

  /// Ends a survey; the next one follows after a pause, so that a long backlog does not keep the
  /// database busy.
  package mutating func end(at now: Int64) {
    duration = now - began
    ended = now
    due = now + (isHinted ? 4 * duration : max(Self.interval, 20 * duration))
  }

  /// Records that there are new entries.
  package mutating func hint() {
    isHinted = true
    if let due { self.due = min(due, ended.addingProduct(4, duration)) }
  }

  /// Schedules a survey soon because lanes were claimed, whose entries are to be read.
  package mutating func hasten() { due = due.map { _ in .min } }
}

extension Int64 {
  /// The sum with a product, limited to the largest number.
  fileprivate func addingProduct(_ factor: Int64, _ value: Int64) -> Int64 {
    let (sum, isOver) = addingReportingOverflow(factor * value)
    return isOver ? .max : sum
  }
}
