/// The times at which participants are notified of messages that were withheld from them.
///
/// Within a second of the first message withheld, and at most once a second. Pure: times are
/// milliseconds of one clock.
struct ThrottleNotices: Sendable {
  /// From the first message withheld to the notice, when none was given just before.
  private static let patience: Int64 = 800
  private static let interval: Int64 = 1000

  private var firstWithheld: Int64?
  private var lastNotice: Int64?

  mutating func noteWithheld(at now: Int64) {
    if firstWithheld == nil { firstWithheld = now }
  }

  /// The time of the next notice; `nil` when nothing was withheld.
  var due: Int64? {
    guard let firstWithheld else { return nil }
    let earliest = lastNotice.map { $0 + Self.interval } ?? firstWithheld
    return max(firstWithheld + Self.patience, earliest)
  }

  /// Notes that all participants are notified now.
  mutating func noteTold(at now: Int64) {
    firstWithheld = nil
    lastNotice = now
  }
}
