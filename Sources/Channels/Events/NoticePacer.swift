/// The times of notices about changes that are gathered: at most one a second.
///
/// Pure: times are milliseconds of one clock.
struct NoticePacer: Sendable {
  static let interval: Int64 = 1000

  /// Milliseconds from the first change to the notice, if no other was sent just before.
  private let patience: Int64
  private var firstChange: Int64?
  private var lastNotice: Int64?

  init(patience: Int64 = 0) { self.patience = patience }

  /// Notes a change that the next notice contains.
  mutating func noteChange(at now: Int64) {
    if firstChange == nil { firstChange = now }
  }

  /// Notes that all changes were undone before a notice.
  mutating func forgetChanges() { firstChange = nil }

  /// The time of the next notice; `nil` if nothing has changed.
  var due: Int64? {
    guard let firstChange else { return nil }
    let earliest = lastNotice.map { $0 + Self.interval } ?? firstChange
    return max(firstChange + patience, earliest)
  }

  /// Records that a notice is being sent.
  mutating func noteSent(at now: Int64) {
    firstChange = nil
    lastNotice = now
  }
}
