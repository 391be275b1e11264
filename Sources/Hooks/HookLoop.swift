import Basics
import CCurl
import Curl
import Logging
import ParleyProtocol
import Reactor

/// The thread that asks the app's back end; all members are confined to it.
final class HookLoop: CurlLoopOwner {
  /// A call to ask about.
  struct Question: Sendable {
    let hook: HookName
    let id: String
    let body: [UInt8]
    /// Milliseconds of the steady clock.
    let arrival: Int64
    /// Receives the answer, on this thread; `nil` when the back end was not asked.
    let completion: @Sendable (Result<HookAnswer, HookProblem>?) -> Void
  }

  enum Request: Sendable {
    case ask(Question)
    case adopt(HookConfiguration)
  }

  private let loop: CurlLoop<HookTransfer>
  private var configuration: HookConfiguration
  private let record: HookRecord
  private let logger: Logger
  private var desk: HookDesk
  private var questions: [HookDesk.ID: Question] = [:]
  private var lastID: HookDesk.ID = 0

  init(
    _ loop: CurlLoop<HookTransfer>, _ configuration: HookConfiguration, _ record: HookRecord,
    logger: Logger
  ) {
    self.loop = loop
    self.configuration = configuration
    self.record = record
    self.logger = logger
    desk = HookDesk(HookLimits(configuration))
  }

  func receive(_ request: Request) {
    switch request {
    case .ask(let question):
      lastID += 1
      questions[lastID] = question
      let decision = desk.take(
        lastID, question.hook, byteCount: question.body.count, until: deadline(of: question),
        at: now)
      if let decision { carryOut(decision) }
    case .adopt(let new):
      configuration = new
      desk.limits = HookLimits(new)
    }
    report()
  }

  func startTransfers() -> ContinuousClock.Instant? {
    while let decision = desk.next(at: now) { carryOut(decision) }
    report()
    return desk.wakeTime.map { .now.advanced(by: .milliseconds(max(0, $0 - now))) }
  }

  func didEnd(_ transfer: HookTransfer, _ result: CURLcode) {
    end(transfer.id, transfer.answer(result))
  }

  func stop() {
    _ = loop.removeAll()
    let left = questions.values
    questions = [:]
    for question in left { question.completion(nil) }
  }

  private var now: Int64 { SystemClock.monotonicMilliseconds }

  private func deadline(of question: Question) -> Int64 {
    question.arrival + configuration.timeout
  }

  private func carryOut(_ decision: HookDesk.Decision) {
    switch decision {
    case .start(let id): start(id)
    case .skip(let id, let refusal):
      guard let question = questions.removeValue(forKey: id) else { return }
      switch refusal {
      case .circuit: break
      case .queue: record.note(HookProblem("too many calls wait"), of: question.hook)
      case .timeout: record.note(HookProblem("no turn in time"), of: question.hook)
      }
      question.completion(nil)
    }
  }

  private func start(_ id: HookDesk.ID) {
    guard let question = questions[id] else { return }
    guard let url = configuration.urls[question.hook],
      let transfer = HookTransfer(
        id, question.hook, question.body, to: url, timeout: deadline(of: question) - now,
        configuration),
      loop.add(transfer)
    else { return end(id, .failure(HookProblem("the request cannot be made"))) }
  }

  private func end(_ id: HookDesk.ID, _ answer: Result<HookAnswer, HookProblem>) {
    guard let question = questions.removeValue(forKey: id) else { return }
    var isAnswered = true
    if case .failure(let problem) = answer {
      isAnswered = false
      record.note(problem, of: question.hook)
      logger.debug(
        "the app's back end gave no valid answer",
        metadata: [
          "hook": "\(question.hook.rawValue)", "id": "\(question.id)", "reason": "\(problem)",
        ])
    } else {
      record.noteAnswer(of: question.hook)
    }
    if let change = desk.end(id, isAnswered: isAnswered, at: now) { log(change, question.hook) }
    question.completion(answer)
  }

  private func log(_ change: CircuitBreaker.Change, _ hook: HookName) {
    switch change {
    case .opened(let wait):
      let policy = configuration.policy(hook).rawValue
      logger.warning(
        "the app's back end does not answer: its hooks.on_failure applies",
        metadata: [
          "hook": "\(hook.rawValue)", "on_failure": "\(policy)", "next_try_ms": "\(wait)",
          "reason": "\(record.lastProblem(of: hook))",
        ])
    case .reopened(let wait):
      logger.debug(
        "the app's back end still does not answer",
        metadata: ["hook": "\(hook.rawValue)", "next_try_ms": "\(wait)"])
    case .closed:
      logger.notice("the app's back end answers again", metadata: ["hook": "\(hook.rawValue)"])
    }
  }

  private func report() {
    record.publish(
      waiting: desk.waitingCount, running: desk.runningCount, open: desk.openCircuits)
  }
}

extension HookLimits {
  fileprivate init(_ configuration: HookConfiguration) {
    concurrency = configuration.concurrency
    waiting = configuration.waitingLimit
    waitingBytes = configuration.waitingBytes
  }
}
