import Glibc
import HTTP
import Reactor
import Synchronization
import TestSupport
import Testing

@testable import Transport

/// A transport on a thread of its own that listens on a port of loopback.
///
/// A message `close` is answered with a close frame, `pause` stops the reading; any other comes
/// back.
final class LoopServer: Sendable {
  typealias Job = @Sendable (LoopServerCore) -> Void

  let address: SocketAddress
  private let mailbox: Mailbox<Job>
  private let thread: Reactor.Thread

  init(
    _ configuration: TransportConfiguration = TransportConfiguration(),
    security: Listener.Security = .plain, proxyHeader: ProxyHeaderPolicy = .none
  ) throws {
    let any = try #require(SocketAddress(host: "127.0.0.1", port: 0))
    let listener = try Socket.listen(on: any)
    address = try SocketAddress(boundTo: listener)
    let mailbox = try Mailbox<Job>()
    self.mailbox = mailbox
    thread = try Reactor.Thread(name: "server") {
      do {
        let core = try LoopServerCore(configuration, mailbox)
        try core.transport.listen(
          listener, security: security, proxyHeader: proxyHeader, tag: 7)
        core.loop.run()
        core.transport.stopListening()
        core.transport.forEachConnection { $0.drop() }
      } catch {
        Issue.record(error)
      }
    }
  }

  deinit {
    mailbox.post { $0.loop.stop() }
    thread.join()
  }

  /// Has something worked out on the server's thread.
  func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (LoopServerCore) -> Answer
  ) throws
    -> Answer
  {
    let answers = try Mailbox<Answer>()
    mailbox.post { answers.post(question($0)) }
    return try answers.first()
  }

  /// Waits until something is so at the end of a turn.
  func wait(until condition: @escaping @Sendable (LoopServerCore) -> Bool) throws {
    let answers = try Mailbox<Bool>()
    mailbox.post { core in
      core.waiters.append { core in
        guard condition(core) else { return false }
        answers.post(true)
        return true
      }
    }
    _ = try answers.first()
  }
}

/// What lives on the thread of a ``LoopServer``.
final class LoopServerCore: TransportDelegate, ReadinessHandler {
  let loop: EventLoop
  private(set) lazy var transport = Transport(
    loop: loop, configuration: configuration, delegate: self)
  /// Why the WebSockets were closed, in order.
  var reasons: [ClosingReason] = []
  var tags: [Int] = []
  var tlsFailures: [String] = []
  /// Whom requests were from.
  var clients: [String] = []
  /// Why connections were closed that no proxy announced.
  var strangers: [String] = []
  var waiters: [(LoopServerCore) -> Bool] = []
  var broadcast: BroadcastBuffer?
  /// What `/file` is answered with.
  var file: FileSpan?
  /// What came in bodies that were taken in pieces.
  var received: [UInt8] = []
  var abandonmentCount = 0
  private let configuration: TransportConfiguration
  private let mailbox: Mailbox<LoopServer.Job>

  init(_ configuration: TransportConfiguration, _ mailbox: Mailbox<LoopServer.Job>) throws {
    loop = try EventLoop()
    self.configuration = configuration.withTestCodes
    self.mailbox = mailbox
    _ = try loop.register(mailbox.descriptor, for: .readable, handler: self)
    loop.endOfTurn = { [unowned self] in endTurn() }
  }

  private func endTurn() -> TurnOutcome {
    for job in mailbox.takeAll(reusing: []) { job(self) }
    let outcome = transport.flush()
    waiters.removeAll { $0(self) }
    return outcome
  }

  func descriptorIsReady(for readiness: Readiness) {
    mailbox.acknowledge()
  }

  func answer(_ exchange: Exchange) -> RequestOutcome {
    tags.append(exchange.connection.listenerTag)
    clients.append(exchange.connection.clientAddress?.description ?? "unknown")
    if let file, exchange.head.path == "/file" {
      let id = exchange.id
      mailbox.post { core in
        core.transport.respond(HTTPResponse(status: .ok), with: file, to: id)
      }
      return .respondLater(onAbandonment: {})
    }
    do {
      return .upgrade(try ServerHandshake().accept(exchange.head), self)
    } catch {
      return .respond(HTTPResponse(status: .ok, text: exchange.head.target))
    }
  }

  func transportCannotAccept(_ error: SystemError) {
    Issue.record(error)
  }

  func connection(_ connection: Connection, brokeTLS reason: String) {
    tlsFailures.append(reason)
  }

  func connection(_ connection: Connection, lacksProxyHeader reason: String) {
    strangers.append(reason)
  }
}

extension LoopServerCore: HTTPBodyReceiver {
  func decideOnBody(of exchange: Exchange) -> BodyDecision {
    exchange.head.path == "/upload" ? .pieces(limit: 10_000_000, self) : .whole
  }

  func connection(_ connection: Connection, receivedBody piece: [UInt8]) -> BodyDemand {
    received += piece
    return .more
  }

  func connectionDidReceiveBody(_ connection: Connection) -> RequestOutcome {
    .respond(HTTPResponse(status: .ok, text: "taken"))
  }

  func bodyWasAbandoned() {
    abandonmentCount += 1
  }
}

extension LoopServerCore: WebSocketApplication {
  func connection(_ connection: Connection, received message: WebSocketMessage) {
    guard case .text(let bytes) = message else {
      connection.send(message)
      return
    }
    switch String(decoding: bytes, as: UTF8.self) {
    case "close": connection.close(.normalClosure, reason: "as you wish")
    case "pause": connection.pauseReading()
    default: connection.send(text: bytes)
    }
  }

  func connectionDidClose(_ connection: Connection, _ reason: ClosingReason) {
    reasons.append(reason)
  }
}

extension Mailbox {
  /// Waits for an item.
  fileprivate func first() throws -> Item {
    try Deadline.standard.wait(for: "an answer", on: descriptor)
    acknowledge()
    return try #require(takeAll(reusing: []).first)
  }
}
