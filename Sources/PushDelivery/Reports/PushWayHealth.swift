import Logging
import Push

/// The last outcomes of requests of a way; each change is logged once.
struct PushWayHealth {
  let way: PushWay
  /// Unix milliseconds.
  private(set) var lastSuccess: Int64?
  private(set) var lastFailure: (time: Int64, reason: String)?
  private var isFailing = false
  private var alarm: PushFault?
  /// The time of the next log line, in Unix milliseconds: some endpoints are chosen by clients.
  private var lineDue = Int64.min

  /// The pause between log lines, in milliseconds.
  private static let linePause: Int64 = 60_000

  init(_ way: PushWay) { self.way = way }

  /// - Parameter now: Unix milliseconds.
  mutating func note(_ outcome: PushOutcome, at now: Int64, _ logger: Logger) {
    switch outcome {
    case .sent: succeed(at: now, logger)
    // The service works: the answer concerns one device, or a credential that is renewed.
    case .forgetToken, .tooLarge, .renewCredential: break
    case .wait(_, let fault): fail(fault, at: now, logger)
    case .failed(let fault): lastFailure = (now, "\(fault)")
    case .alarm(let fault): raise(fault, at: now, logger)
    }
  }

  private mutating func succeed(at now: Int64, _ logger: Logger) {
    lastSuccess = now
    alarm = nil
    guard isFailing, now >= lineDue else { return }
    isFailing = false
    lineDue = now + Self.linePause
    logger.notice("a push service accepts pushes again", metadata: ["way": "\(way.name)"])
  }

  private mutating func fail(_ fault: PushFault, at now: Int64, _ logger: Logger) {
    lastFailure = (now, "\(fault)")
    guard !isFailing, now >= lineDue else { return }
    isFailing = true
    lineDue = now + Self.linePause
    logger.warning(
      "a push service does not accept pushes; they are retried",
      metadata: ["way": "\(way.name)", "reason": "\(fault)"])
  }

  private mutating func raise(_ fault: PushFault, at now: Int64, _ logger: Logger) {
    lastFailure = (now, "\(fault)")
    guard alarm != fault else { return }
    alarm = fault
    logger.error(
      "a push service refuses this server; check the settings of the way",
      metadata: ["way": "\(way.name)", "reason": "\(fault)"])
  }
}
