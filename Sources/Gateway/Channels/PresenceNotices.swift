import Reactor

/// The notices of who comes and goes, beside those that ``PresencePacer`` paces.
///
/// One by one in small channels. In a channel with more than 100 participants the count alone is
/// told, at most once a second and only when it changed.
struct PresenceNotices {
  /// Above this many participants the count alone is told.
  static let largeChannel = 100
  static let interval: Int64 = 1000

  /// The count that participants were last told.
  var toldCount = 0
  /// When it was told; milliseconds of the loop.
  var toldAt = Int64.min / 2
  /// The timer that is set for telling the count.
  var timer: EventLoop.TimerToken?
}
