internal import HTTP
internal import Logging
internal import Reactor
internal import Telemetry
internal import Transport
internal import Unfurler

/// The event loop of a preview server, with its connections and their queries.
///
/// Confined to its thread; other threads use its mailbox.
final class UnfurlLoop {
  /// The time limit of a look-up whose query has none, in milliseconds.
  private static let standardTimeout: Int64 = 5_000

  let loop: EventLoop
  private(set) lazy var transport = Transport(
    loop: loop, configuration: TransportConfiguration(configuration), delegate: self)
  let configuration: UnfurlServerConfiguration
  let metrics = UnfurlLoopMetrics()
  private(set) var drain: UnfurlLoopDrain?
  private let unfurler: any Unfurler
  private let mailbox: Mailbox<UnfurlLoopMail>
  private let logger: Logger
  private var pending: [Exchange.ID: PendingQuestion] = [:]

  init(
    _ configuration: UnfurlServerConfiguration, unfurler: any Unfurler,
    mailbox: Mailbox<UnfurlLoopMail>, logger: Logger
  ) throws(SystemError) {
    self.configuration = configuration
    self.unfurler = unfurler
    self.mailbox = mailbox
    self.logger = logger
    loop = try EventLoop()
    _ = try loop.register(mailbox.descriptor, for: .readable, handler: self)
    loop.endOfTurn = { [unowned self] in endTurn() }
  }

  /// Accepts connections from listening sockets, which it then owns.
  func listen(_ descriptors: [Int32]) throws(SystemError) {
    for descriptor in descriptors { try transport.listen(descriptor, security: .plain) }
  }

  /// The number of unanswered queries.
  var pendingCount: Int { pending.count }

  private func endTurn() -> TurnOutcome {
    for mail in mailbox.takeAll(reusing: []) { receive(mail) }
    return transport.flush()
  }

  private func receive(_ mail: UnfurlLoopMail) {
    switch mail {
    case .report(let report, let id): answer(id, report)
    case .pulse(let answer): answer()
    case .drain:
      guard drain == nil else { return }
      let drain = UnfurlLoopDrain(of: self, timeout: configuration.drainTimeout)
      self.drain = drain
      drain.proceed()
    case .hurry:
      let drain = drain ?? UnfurlLoopDrain(of: self, timeout: 0)
      self.drain = drain
      drain.hurry()
    }
  }

  /// Starts to look up a query's link; the answer arrives in the mailbox.
  func ask(_ question: UnfurlQuestion, for exchange: Exchange) -> RequestOutcome {
    let id = exchange.id
    let wanted = question.timeout ?? Self.standardTimeout
    let deadline = Duration.milliseconds(min(wanted, configuration.timeout))
    let task = unfurler.unfurl(question.link, for: .operation, deadline: deadline) {
      [mailbox] report in
      mailbox.post(.report(report, for: id))
    }
    pending[id] = PendingQuestion(task: task, start: SystemClock.monotonicNanoseconds)
    return .respondLater { [unowned self] in abandon(id) }
  }

  /// Cancels the unanswered queries, and sends their clients the error.
  func callOff() {
    let questions = pending
    pending = [:]
    for (id, question) in questions {
      question.task.cancel()
      metrics.count(.cancelled, since: question.start)
      transport.respond(HTTPResponse(.shuttingDown), to: id)
    }
  }

  private func answer(_ id: Exchange.ID, _ report: UnfurlReport) {
    guard let question = pending.removeValue(forKey: id) else { return }
    metrics.count(UnfurlLoopCounter(report.outcome), since: question.start)
    transport.respond(HTTPResponse(UnfurlAnswer(report)), to: id)
    drain?.proceed()
  }

  private func abandon(_ id: Exchange.ID) {
    guard let question = pending.removeValue(forKey: id) else { return }
    question.task.cancel()
    metrics.count(.abandoned, since: question.start)
  }

  /// A query that waits for its answer.
  private struct PendingQuestion {
    let task: UnfurlTask
    /// In nanoseconds of the monotonic clock.
    let start: Int64
  }
}

extension UnfurlLoop: ReadinessHandler {
  func descriptorIsReady(for readiness: Readiness) {
    // The mailbox is read at the end of every turn.
    mailbox.acknowledge()
  }
}

extension UnfurlLoop: TransportDelegate {
  func answer(_ exchange: Exchange) -> RequestOutcome {
    UnfurlLoopRoutes.answer(exchange, of: self)
  }

  func connection(_ connection: Connection, refusalOf error: HTTPError) -> HTTPResponse {
    metrics.count(.invalid)
    return HTTPResponse(UnfurlAnswer(refusing: error.message, status: Int(error.status.code)))
  }

  func transportCannotAccept(_ error: SystemError) {
    logger.warning(
      "connections cannot be accepted", metadata: ["reason": "\(error)"])
  }

  func connection(_ connection: Connection, brokeTLS reason: String) {}
}

extension TransportConfiguration {
  fileprivate init(_ configuration: UnfurlServerConfiguration) {
    self.init()
    // Larger than any query, so that a slightly longer one is rejected with JSON.
    http.bodyBytes = 4 * UnfurlQuestion.maximumBytes
    headTimeout = configuration.headTimeout
    keepAliveTimeout = configuration.keepAliveTimeout
    // Clients keep idle connections open without reading them; shutdown does not wait for them.
    closeTimeout = 500
  }
}

/// The shutdown of a server: pending queries are answered, then the loop stops.
///
/// While queries are pending, requests are still accepted, so that clients are notified that the
/// server is not ready.
final class UnfurlLoopDrain: TimerHandler {
  /// The interval between checks for closed connections, in milliseconds.
  private static let step: Int64 = 20

  private unowned let server: UnfurlLoop
  private let deadline: Int64
  private var timer: EventLoop.TimerToken?

  init(of server: UnfurlLoop, timeout: Int64) {
    self.server = server
    deadline = server.loop.now + min(max(0, timeout), 3_600_000)
  }

  func proceed() {
    if server.loop.now >= deadline { return hurry() }
    if server.pendingCount == 0 { endConnections() }
    wait()
  }

  /// Stops waiting for pages.
  func hurry() {
    server.callOff()
    endConnections()
    wait()
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    guard token == timer else { return }
    timer = nil
    proceed()
  }

  /// Stops accepting, and closes open connections once their last bytes are written; the transport
  /// limits the time for a peer to read them.
  private func endConnections() {
    server.transport.stopListening()
    server.transport.forEachConnection { $0.end() }
  }

  private func wait() {
    if let timer { server.loop.cancel(timer) }
    timer = nil
    if server.pendingCount == 0, server.transport.connectionCount == 0 {
      server.loop.stop()
    } else {
      timer = server.loop.schedule(after: Self.step, self)
    }
  }
}

/// The messages from other threads to a server.
enum UnfurlLoopMail: Sendable {
  /// The look-up for a query has ended.
  case report(UnfurlReport, for: Exchange.ID)
  /// A check that the loop is still running turns.
  case pulse(answer: @Sendable () -> Void)
  case drain
  case hurry
}
