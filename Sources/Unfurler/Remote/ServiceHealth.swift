import Basics
import Logging
import Synchronization

/// The circuit breaker of one service, with its clock and its log messages.
final class ServiceHealth: Sendable {
  private let url: String
  private let breaker: Mutex<CircuitBreaker>
  private let now: @Sendable () -> Int64
  private let jitter: @Sendable () -> Double
  private let logger: Logger

  init(url: String, _ configuration: RemoteUnfurlerConfiguration, logger: Logger) {
    self.url = url
    breaker = Mutex(CircuitBreaker(limits: configuration.breaker))
    now = configuration.now
    jitter = configuration.jitter
    self.logger = logger
  }

  var state: CircuitBreaker.State { breaker.withLock { $0.state } }

  var isDown: Bool {
    if case .closed = state { false } else { true }
  }

  /// The error for links while the service is not queried; `nil` if it is queried.
  var refusal: UnfurlReport? {
    let refusal = breaker.withLock { $0.refusal(at: now()) }
    guard case .refused(let wait)? = refusal else { return nil }
    return report(wait)
  }

  func admit() -> Result<CircuitBreaker.Ticket, Refused> {
    switch breaker.withLock({ $0.admit(at: now()) }) {
    case .admitted(let ticket): .success(ticket)
    case .refused(let wait): .failure(Refused(report: report(wait)))
    }
  }

  /// Records a valid response of the protocol, whatever its content.
  func succeed() {
    guard breaker.withLock({ $0.succeed() }) == .closed else { return }
    logger.notice("the preview service answers again", metadata: ["url": "\(url)"])
  }

  /// Records that no valid response arrived.
  func fail(_ ticket: CircuitBreaker.Ticket, _ reason: String) {
    switch breaker.withLock({ $0.fail(ticket, at: now(), jitter: jitter()) }) {
    case .opened(let wait):
      logger.warning("the preview service does not answer", metadata: metadata(reason, wait))
    case .reopened(let wait):
      logger.debug("the unfurl service is still not answering", metadata: metadata(reason, wait))
    case .closed, nil: break
    }
  }

  /// Records that a query was cancelled.
  func withdraw(_ ticket: CircuitBreaker.Ticket) {
    breaker.withLock { $0.withdraw(ticket, at: now()) }
  }

  /// Returns a failure of the service for one link.
  func failure(_ reason: String) -> UnfurlReport {
    UnfurlReport(.failure(.failed("the unfurl service \(url): \(reason)")), freshness: .unkept)
  }

  private func report(_ wait: Int64?) -> UnfurlReport {
    let next = wait.map { "next try in \(($0 + 999) / 1_000) s" } ?? "it is being tried again"
    return UnfurlReport(
      .failure(.failed("the unfurl service \(url) is not answering; \(next)")),
      freshness: .unkept)
  }

  private func metadata(_ reason: String, _ wait: Int64) -> Logger.Metadata {
    ["url": "\(url)", "reason": "\(reason)", "next_try_ms": "\(wait)"]
  }

  /// The reason why a query was not sent, for the waiting caller.
  struct Refused: Error {
    let report: UnfurlReport
  }
}
