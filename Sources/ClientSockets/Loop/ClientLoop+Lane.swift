package import ClientTransport
internal import HTTP
internal import Reactor

extension ClientLoop: Lane {
  package func run(_ job: @escaping @Sendable (any LaneContext) -> Void) {
    post { job($0) }
  }

  /// Returns the loop of the process for clients that are given no other.
  ///
  /// - Throws: ``ConnectionFailure`` of the kind ``ConnectionFailure/Kind/lasting`` if the system
  ///   refuses a thread or a descriptor.
  package static func sharedLane() throws(ConnectionFailure) -> any Lane {
    do throws(SystemError) {
      return try shared()
    } catch {
      throw ConnectionFailure(.lasting, error.description)
    }
  }
}

extension ClientLoopContext: LaneContext {
  package var now: Int64 { loop.now }

  package func connect(
    by plan: ConnectionPlan, owner: any ServerConnectionOwner
  ) -> any ServerConnection {
    let link = SocketLink(plan, context: self, owner: owner)
    link.start()
    return link
  }

  package func request(
    _ request: ClientRequest, by plan: ConnectionPlan,
    _ receive: @escaping (ResponsePart) -> Void
  ) -> any LaneRequest {
    let exchange = RequestExchange(request, by: plan, deliver: receive)
    let connection = ClientConnection(plan, context: self, request: exchange)
    connection.start()
    return SocketRequest(connection)
  }

  package func timer(
    after milliseconds: Int64, _ fire: @escaping () -> Void
  ) -> any LaneTimer {
    SocketTimer(after: milliseconds, on: loop, fire)
  }
}

/// A timer of a loop.
private final class SocketTimer: LaneTimer, TimerHandler {
  private unowned let loop: EventLoop
  private let fire: () -> Void
  private var token: EventLoop.TimerToken?

  init(after milliseconds: Int64, on loop: EventLoop, _ fire: @escaping () -> Void) {
    self.loop = loop
    self.fire = fire
    token = loop.schedule(after: milliseconds, self)
  }

  func cancel() {
    if let token { loop.cancel(token) }
    token = nil
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    self.token = nil
    fire()
  }
}

/// A request over a socket of its own.
private final class SocketRequest: LaneRequest {
  private let connection: ClientConnection

  init(_ connection: ClientConnection) { self.connection = connection }

  func cancel() { connection.drop() }
}

/// A session's connection over a socket: forwards between the session and ``ClientConnection``.
private final class SocketLink: ServerConnection, ConnectionOwner {
  private let connection: ClientConnection
  private weak var owner: (any ServerConnectionOwner)?

  init(
    _ plan: ConnectionPlan, context: ClientLoopContext, owner: any ServerConnectionOwner
  ) {
    connection = ClientConnection(plan, context: context, owner: nil)
    self.owner = owner
    connection.owner = self
  }

  func start() { connection.start() }

  func send(_ text: [UInt8]) { connection.send(text) }

  func ping() { connection.ping() }

  func close(_ code: ClosingCode) {
    owner = nil
    connection.close(CloseCode(rawValue: code.rawValue))
  }

  func drop() {
    owner = nil
    connection.drop()
  }

  func connectionDidOpen(_ connection: ClientConnection) {
    owner?.connectionDidOpen(self)
  }

  func connection(_ connection: ClientConnection, received text: Span<UInt8>) {
    owner?.connection(self, received: text.withUnsafeBufferPointer { Array($0) })
  }

  func connectionShowedLife(_ connection: ClientConnection) {
    owner?.connectionShowedLife(self)
  }

  func connection(_ connection: ClientConnection, ended end: ConnectionEnd) {
    let owner = owner
    self.owner = nil
    owner?.connection(self, ended: end)
  }
}
