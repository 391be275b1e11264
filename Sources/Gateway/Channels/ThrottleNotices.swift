import Reactor

/// When participants are told of what was withheld from them.
///
/// Within a second of the first message withheld, and at most once a second. Pure: times are
/// milliseconds of one clock.
struct ThrottleNotices {
  /// From the first message withheld to the notice, when none was given just before.
  private static let patience: Int64 = 800
  private static let interval: Int64 = 1000

  private var firstWithheld: Int64?
  private var lastNotice: Int64?
  /// The timer that is set for the next notice.
  var timer: EventLoop.TimerToken?

  mutating func noteWithheld(at now: Int64) {
    if firstWithheld == nil { firstWithheld = now }
  }

  /// When the next notice is due; `nil` when nothing was withheld.
  var due: Int64? {
    guard let firstWithheld else { return nil }
    let earliest = lastNotice.map { $0 + Self.interval } ?? firstWithheld
    return max(firstWithheld + Self.patience, earliest)
  }

  /// All participants are being told now.
  mutating func noteTold(at now: Int64) {
    firstWithheld = nil
    lastNotice = now
  }
}
