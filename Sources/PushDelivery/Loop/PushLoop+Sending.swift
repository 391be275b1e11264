import CCurl
import Curl
import LinkPreview
import Logging
import ParleyProtocol
import Push
import Reactor
import Store
import Telemetry

/// From pushes in the queue to outcomes.
extension PushLoop {
  func sendPushes() {
    while let turn = queue.next(at: now) { send(turn) }
  }

  private func send(_ turn: PushQueue<QueuedPush>.Turn) {
    let push = turn.push
    let time = configuration.clock()
    if case .job = push.purpose, time - push.createdAt > configuration.rules.maximumAge {
      queue.end(turn, at: now)
      return conclude(push, .finished(.expired, forgets: false), "too old")
    }
    var ticket: HostCircuits.Ticket?
    if !push.isTest {
      switch circuits.admit(to: turn.host, at: now) {
      case .admitted(let admitted): ticket = admitted
      case .paused(let wait):
        queue.end(turn, at: now)
        return postpone(push, by: wait)
      }
    }
    switch senders.prepare(push, at: time) {
    case .send(let request, let credential): start(request, turn, credential, ticket)
    case .awaitToken(let request):
      withdraw(ticket, turn.host)
      queue.putBack(turn, at: now)
      queue.hold(turn.host)
      if let request { startAccess(request) }
    case .end(let outcome):
      withdraw(ticket, turn.host)
      note(outcome, push)
      take(outcome, turn, credential: nil)
    }
  }

  private func start(
    _ request: PushRequest, _ turn: PushQueue<QueuedPush>.Turn, _ credential: String?,
    _ ticket: HostCircuits.Ticket?
  ) {
    let transfer = PushTransfer(
      request, for: .push(turn, credential: credential, ticket: ticket),
      over: connection(of: turn.push.way), configuration)
    if let transfer, loop.add(transfer) { return }
    withdraw(ticket, turn.host)
    take(.unanswered("no memory"), turn, credential: nil)
  }

  private func connection(of way: PushWay) -> PushTransfer.Connection {
    switch way {
    case .web:
      var policy = configuration.web?.addresses ?? .init()
      policy.ownAddresses = ownAddresses.current(at: .now)
      return .guarded(ConnectionGuard(policy, usesProxy: false))
    case .apns: return configuration.apple?.requiresHTTP2 == false ? .configured : .http2
    case .fcm, .url: return .configured
    }
  }

  func didSend(
    _ turn: PushQueue<QueuedPush>.Turn, _ credential: String?, _ ticket: HostCircuits.Ticket?,
    _ transfer: PushTransfer, _ result: CURLcode
  ) {
    let time = configuration.clock()
    let answer = transfer.answer(result)
    let microseconds = transfer.easy.microseconds(until: CURLINFO_TOTAL_TIME_T)
    counters.seconds.record(nanoseconds: UInt64(microseconds) * 1_000, for: turn.push.way)
    let outcome: PushOutcome =
      switch answer {
      case .success(let answer): senders.outcome(of: answer, to: turn.push, at: time)
      case .failure(let problem): problem.outcome
      }
    if let ticket {
      let isPaused = circuits.receive(
        outcome, from: turn.host, ticket, at: now, jitter: .random(in: 0...1))
      if isPaused {
        logger.warning(
          "a push service failed many times in a row; pausing pushes to it",
          metadata: ["host": "\(turn.host)"])
      }
    }
    note(outcome, turn.push)
    if case .notice(let notice, let targets) = turn.push.content,
      case .success(let answer) = answer,
      case .sent = outcome
    {
      queue.end(turn, at: now)
      let rejected = PushNoticeAnswers.rejected(by: answer, of: notice)
      return conclude(turn.push, targets, rejected: rejected)
    }
    take(outcome, turn, credential: credential)
  }

  /// Applies an outcome, which ends the turn of its push.
  private func take(
    _ outcome: PushOutcome, _ turn: PushQueue<QueuedPush>.Turn, credential: String?
  ) {
    var turn = turn
    let time = configuration.clock()
    let step = turn.push.attempts.receive(
      outcome, at: time, maximumAge: configuration.rules.maximumAge,
      random: .random(in: 0 ... .max))
    let problem = outcome.problem
    switch step {
    case .againWithNewCredential where ending != nil, .againWithoutBody where ending != nil:
      queue.end(turn, at: now)
      conclude(turn.push, .again(at: time), problem)
    case .againWithNewCredential:
      if senders.refuse(credential, by: turn.push.way, at: time) {
        queue.putBack(turn, at: now)
      } else {
        queue.end(turn, at: now)
        conclude(turn.push, .finished(.failed, forgets: false), problem)
      }
    case .againWithoutBody: queue.putBack(turn, at: now)
    case .finished, .again:
      queue.end(turn, at: now)
      conclude(turn.push, step, problem)
    }
  }

  /// Postpones a push whose host is not called now.
  ///
  /// - Parameter wait: In milliseconds; `nil` for a short time.
  func postpone(_ push: QueuedPush, by wait: Int64?) {
    let step = push.attempts.postponed(
      by: wait, at: configuration.clock(), maximumAge: configuration.rules.maximumAge)
    conclude(push, step, "the host is paused")
  }

  private func withdraw(_ ticket: HostCircuits.Ticket?, _ host: String) {
    if let ticket { circuits.withdraw(ticket, from: host, at: now) }
  }

  private func note(_ outcome: PushOutcome, _ push: QueuedPush) {
    health[push.way.rawValue].note(outcome, at: configuration.clock(), logger)
  }

  private func startAccess(_ request: PushRequest) {
    guard let account = configuration.firebase?.account else { return }
    let transfer = PushTransfer(
      request, for: .access(account), over: .configured, configuration)
    if let transfer, loop.add(transfer) { return }
    didRequestAccess(account, .failure(.unanswered("no memory")))
  }

  func didRequestAccess(
    _ account: ServiceAccount, _ answer: Result<PushAnswer, PushTransferProblem>
  ) {
    // The settings may have changed meanwhile.
    guard account == configuration.firebase?.account else { return }
    let fault = senders.receiveAccess(try? answer.get(), at: configuration.clock())
    if let fault {
      health[PushWay.fcm.rawValue].note(.wait(after: nil, fault), at: configuration.clock(), logger)
    }
    queue.resumeAll()
  }
}

extension QueuedPush {
  var isTest: Bool { if case .test = purpose { true } else { false } }
}

extension PushOutcome {
  /// The reason why a push was not accepted; empty when it was.
  var problem: String {
    switch self {
    case .sent: ""
    case .forgetToken(let fault), .wait(_, let fault), .renewCredential(let fault),
      .alarm(let fault), .tooLarge(let fault), .failed(let fault):
      "\(fault)"
    }
  }
}
