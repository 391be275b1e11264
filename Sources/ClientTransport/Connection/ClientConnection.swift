package import Reactor
internal import Streams
package import WebSocket

/// A receiver of a connection's events, on the loop's thread.
package protocol ConnectionOwner: AnyObject {
  /// The opening handshake is done: messages flow.
  func connectionDidOpen(_ connection: ClientConnection)
  /// A message came; its bytes are lent for the length of the call.
  func connection(_ connection: ClientConnection, received text: Span<UInt8>)
  /// Something came, be it only a pong.
  func connectionShowedLife(_ connection: ClientConnection)
  /// Reports the end of the connection, once, unless the owner itself has closed it.
  func connection(_ connection: ClientConnection, ended end: ConnectionEnd)
}

/// A client's connection to the server: name look-up, socket, proxy, TLS, opening handshake,
/// messages.
///
///     resolving ─► connecting ─► tunnelling ─► securing ─► upgrading ─► open ─► closing ─► closed
///                                 (proxy)       (TLS)
///
/// A connection for a request of HTTP is `requesting` in place of `upgrading`, and closed after the
/// response.
///
/// Confined to its loop. The loop keeps it alive until it is closed.
package final class ClientConnection {
  enum Stage {
    case resolving
    case connecting(AddressAttempts)
    case tunnelling(ProxyTunnel)
    /// The TLS handshake is under way.
    case securing
    case upgrading(UpgradeExchange)
    /// A request is under way, in place of a WebSocket.
    case requesting(RequestExchange)
    case open
    /// Nothing more is sent: the queue is written, and the server ends the connection.
    case closing
    case closed
  }

  /// The time limit for the server to end a connection that is closed, in milliseconds.
  static let closePatience: Int64 = 2000

  let plan: ConnectionPlan
  unowned let context: ClientLoopContext
  package weak var owner: (any ConnectionOwner)?
  /// The request in place of a WebSocket, until its outcome is reported.
  var request: RequestExchange?
  var stage = Stage.resolving
  var endpoint: WebSocketEndpoint?
  /// The socket, TLS, and the bytes that wait to be written.
  var stream = SocketStream()
  let local: LocalEnd
  /// Whether the owner wants to hear what comes.
  var isReadingPaused = false
  private var timer: EventLoop.TimerToken?
  /// When the attempt to connect has taken too long, on the loop's clock.
  private let attemptDeadline: Int64

  /// - Parameter local: How this end is set up, where it matters.
  package init(
    _ plan: ConnectionPlan, context: ClientLoopContext, owner: any ConnectionOwner,
    local: LocalEnd = LocalEnd()
  ) {
    self.plan = plan
    self.local = local
    self.context = context
    self.owner = owner
    attemptDeadline = context.loop.now + plan.attemptTimeout
  }

  /// A connection for one request; its outcome is reported once, unless the connection is dropped.
  init(_ plan: ConnectionPlan, context: ClientLoopContext, request: RequestExchange) {
    self.plan = plan
    self.context = context
    self.request = request
    local = LocalEnd()
    attemptDeadline = context.loop.now + plan.attemptTimeout
  }

  // A loop that ends drops its connections without closing them one by one.
  deinit {
    stream.closeWithoutLoop()
  }

  /// Milliseconds that are left of the attempt.
  var attemptRemainder: Int64 { max(0, attemptDeadline - context.loop.now) }

  /// Sends a text message, unless the connection is not open.
  package func send(_ text: [UInt8]) {
    guard case .open = stage else { return }
    var bytes: [UInt8] = []
    endpoint?.send(text.span, opcode: .text, using: context.deflate, into: &bytes)
    write(bytes)
    guard stream.queuedByteCount > plan.maximumQueuedBytes else { return }
    end(
      .lost, "the server reads too slowly: more than \(plan.maximumQueuedBytes) bytes wait for it")
  }

  /// Sends a ping without a payload.
  package func ping() {
    guard case .open = stage else { return }
    var bytes: [UInt8] = []
    endpoint?.ping([UInt8]().span, into: &bytes)
    write(bytes)
  }

  /// Closes the connection; its owner hears nothing more of it.
  package func close(_ code: CloseCode) {
    owner = nil
    guard case .open = stage else {
      if case .closing = stage { return }
      return drop()
    }
    var bytes: [UInt8] = []
    endpoint?.close(code, into: &bytes)
    write(bytes)
    linger()
  }

  /// Reports the end of the connection to its owner, and releases all resources.
  func end(_ kind: ConnectionFailure.Kind, _ reason: String) {
    end(ConnectionFailure(kind, reason))
  }

  func end(_ failure: ConnectionFailure) {
    report(.failed(failure))
    drop()
  }

  func report(_ end: ConnectionEnd) {
    if let request, case .failed(let failure) = end {
      self.request = nil
      request.complete(.failure(failure))
    }
    let owner = owner
    self.owner = nil
    owner?.connection(self, ended: end)
  }

  /// Writes what waits, then lets the server end the connection (RFC 6455 §7.1.1).
  func linger() {
    stage = .closing
    endpoint = nil
    setTimer(after: Self.closePatience)
    scheduleFlush()
  }

  /// Gives everything back at once, without a word to the server.
  package func drop() {
    if case .closed = stage { return }
    stage = .closed
    owner = nil
    request = nil
    cancelTimer()
    closeSocket()
    endpoint = nil
  }

  func closeSocket() {
    stream.close(on: context.loop)
  }

  func setTimer(after milliseconds: Int64) {
    cancelTimer()
    timer = context.loop.schedule(after: milliseconds, self)
  }

  func cancelTimer() {
    if let timer { context.loop.cancel(timer) }
    timer = nil
  }
}

extension ClientConnection: TimerHandler {
  package func timerDidFire(_ token: EventLoop.TimerToken) {
    timer = nil
    switch stage {
    case .open, .closed: break
    case .closing: drop()
    case .connecting where attemptRemainder > 0: addressTookTooLong()
    case .resolving: end(.temporary, "the look-up of \(plan.firstHop.host) took too long")
    case .connecting: end(.temporary, "connecting to \(plan.firstHop.host) took too long")
    case .tunnelling: end(.temporary, "the proxy's answer took too long")
    case .securing: end(.temporary, "the TLS handshake took too long")
    case .upgrading: end(.temporary, "the opening handshake took too long")
    case .requesting: end(.temporary, "the request took too long")
    }
  }
}

/// The end of a connection, or the failure to make it.
package enum ConnectionEnd: Sendable, Hashable {
  /// The server sent a close frame.
  case closedByPeer(code: CloseCode?, reason: String)
  case failed(ConnectionFailure)
}

/// The reason why there is no connection, as text that names the step that failed.
package struct ConnectionFailure: Error, Sendable, Hashable {
  /// The kind of the failure, as far as it decides the next step.
  package enum Kind: Sendable, Hashable {
    /// Another attempt may succeed: name look-up, network, a proxy or server that is not up.
    case temporary
    /// Another attempt would fail likewise: a certificate, a wrong address, no WebSocket there.
    case lasting
    /// The opening handshake was refused with 401 or 403.
    case unauthorized
    /// The server is full or draining, and may have sent the milliseconds to wait.
    case unavailable(retryAfter: Int64?)
    /// An open connection broke off.
    case lost
    /// The server broke the protocol.
    case protocolViolation
    /// The server sent a larger message than this client takes.
    case messageTooLarge
  }

  package let kind: Kind
  package let reason: String

  package init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}
