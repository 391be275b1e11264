import Configuration
import HTTP
import Logging
import ParleyProtocol
import Reactor
import Synchronization
import Transport

/// The server while its start waits for the database.
///
/// Reports that it is alive but not ready, and refuses all other requests with 503.
///
/// Accepts from the listeners of the shards, on its own thread, until the shards take over.
final class StartingServer: Sendable {
  private let mailbox: Mailbox<Void>
  private let thread: Reactor.Thread
  private let reason: StartReason

  /// - Parameter listeners: The caller must close them.
  init(_ listeners: [ShardListener], _ settings: Settings, logger: Logger) throws {
    let (mailbox, reason) = (try Mailbox<Void>(), StartReason())
    let start = StartReport<StartError>()
    self.mailbox = mailbox
    self.reason = reason
    thread = try Reactor.Thread(name: "starting") {
      do {
        let loop = try StartingLoop(settings, mailbox, reason, logger)
        for listener in listeners { try loop.listen(listener) }
        start.add(.success(()))
        loop.run()
      } catch {
        start.add(.failure(StartError("the listeners can't be served: \(error)")))
      }
    }
    try start.wait(for: 1)
  }

  /// Sets the reason for waiting that answers contain.
  func setReason(_ text: String) { reason.text = text }

  /// Closes the connections, and leaves the listeners open.
  func close() {
    mailbox.post(())
    thread.join()
  }
}

/// The reason why a server is not ready.
private final class StartReason: Sendable {
  private let value = Mutex("starting")

  var text: String {
    get { value.withLock(\.self) }
    set { value.withLock { $0 = newValue } }
  }
}

/// The event loop of a ``StartingServer``; confined to its thread.
private final class StartingLoop: TransportDelegate, ReadinessHandler {
  private let loop: EventLoop
  private let mailbox: Mailbox<Void>
  private let reason: StartReason
  private let logger: Logger
  private let configuration: TransportConfiguration
  private lazy var transport = Transport(
    loop: loop, configuration: configuration, delegate: self)

  init(
    _ settings: Settings, _ mailbox: Mailbox<Void>, _ reason: StartReason, _ logger: Logger
  ) throws(SystemError) {
    self.mailbox = mailbox
    self.reason = reason
    self.logger = logger
    var configuration = TransportConfiguration()
    configuration.headTimeout = settings.limits.headTimeoutMilliseconds
    configuration.forwarding = ForwardingRules(settings.proxy)
    configuration.gathersSystemCalls = false
    self.configuration = configuration
    loop = try EventLoop()
    _ = try loop.register(mailbox.descriptor, for: .readable, handler: self)
    loop.endOfTurn = { [unowned self] in transport.flush() }
    // Later requests must reach the server that serves by then.
    transport.drain()
  }

  func listen(_ listener: ShardListener) throws(SystemError) {
    try transport.listen(
      try Socket.duplicate(listener.descriptor), security: listener.security,
      proxyHeader: listener.proxyHeader, pool: listener.pool)
  }

  func run() { loop.run() }

  func descriptorIsReady(for readiness: Readiness) {
    transport.stopListening()
    transport.forEachConnection { $0.end() }
    _ = transport.flush()
    loop.stop()
  }

  func answer(_ exchange: Exchange) -> RequestOutcome { .respond(response(to: exchange.head)) }

  func decideOnBody(of exchange: Exchange) -> BodyDecision {
    .refusing(exchange.head, response(to: exchange.head))
  }

  private func response(to head: HTTPRequestHead) -> HTTPResponse {
    switch head.path {
    case Routes.healthPath: StaticResources.aliveResponse
    case Routes.readinessPath: StaticResources.unreadyResponse(reason.text)
    default: HTTPResponse(refusing: .starting)
    }
  }

  func transportCannotAccept(_ error: SystemError) {
    logger.warning("connections cannot be accepted", metadata: ["reason": "\(error)"])
  }

  func connection(_ connection: Connection, brokeTLS reason: String) {}
}
