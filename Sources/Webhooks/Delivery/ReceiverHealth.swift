import Logging

/// The last outcomes of requests to a URL; each change is logged once.
struct ReceiverHealth {
  /// The URL without its query, which may contain a key and must not be logged.
  let shownURL: String
  /// Unix milliseconds.
  private(set) var lastSuccess: Int64?
  private(set) var lastFailure: (time: Int64, reason: String)?
  private var isFailing = false
  private var complaintDue = Int64.min

  /// The pause between log lines about discarded events, in milliseconds.
  private static let complaintPause: Int64 = 60_000

  init(url: String) {
    shownURL = String(url.prefix { $0 != "?" })
  }

  mutating func succeed(at time: Int64, _ logger: Logger) {
    lastSuccess = time
    guard isFailing else { return }
    isFailing = false
    logger.notice("a webhook accepts events again", metadata: ["url": "\(shownURL)"])
  }

  mutating func fail(_ reason: String, at time: Int64, _ logger: Logger) {
    lastFailure = (time, reason)
    guard !isFailing else { return }
    isFailing = true
    logger.warning(
      "a webhook does not accept events; they are kept and retried",
      metadata: ["url": "\(shownURL)", "reason": "\(reason)"])
  }

  /// - Parameter time: Milliseconds of the monotonic clock.
  mutating func giveUp(_ count: Int, at time: Int64, _ logger: Logger) {
    guard time >= complaintDue else { return }
    complaintDue = time + Self.complaintPause
    logger.error(
      "events are older than webhooks.retry_seconds; dropping them",
      metadata: ["url": "\(shownURL)", "events": "\(count)"])
  }
}
