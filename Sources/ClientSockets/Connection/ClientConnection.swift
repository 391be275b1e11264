package import ClientTransport
package import HTTP
package import Reactor
internal import Streams

/// A receiver of a connection's events, on the loop's thread.
package protocol ConnectionOwner: AnyObject {
  /// The opening handshake is complete: messages can be exchanged.
  func connectionDidOpen(_ connection: ClientConnection)
  /// A message arrived; its bytes are valid only during the call.
  func connection(_ connection: ClientConnection, received text: Span<UInt8>)
  /// Any bytes arrived, including only a pong.
  func connectionShowedLife(_ connection: ClientConnection)
  /// Reports the end of the connection, once, unless the owner closed it.
  func connection(_ connection: ClientConnection, ended end: ConnectionEnd)
}

/// A client's connection to the server: name resolution, socket, proxy, TLS, opening handshake,
/// messages.
///
///     resolving ─► connecting ─► tunnelling ─► securing ─► upgrading ─► open ─► closing ─► closed
///                                 (proxy)       (TLS)
///
/// A connection for an HTTP request is `requesting` instead of `upgrading`, and closed after the
/// response.
///
/// Confined to its loop. The loop keeps it alive until it is closed.
package final class ClientConnection {
  enum Stage {
    case resolving
    case connecting(AddressAttempts)
    case tunnelling(ProxyTunnel)
    /// The TLS handshake is in progress.
    case securing
    case upgrading(UpgradeExchange)
    /// A request is in progress, instead of a WebSocket.
    case requesting(RequestExchange)
    case open
    /// Nothing more is sent: the queue is written, and the server closes the connection.
    case closing
    case closed
  }

  /// The time limit for the server to close a closing connection, in milliseconds.
  static let closePatience: Int64 = 2000

  let plan: ConnectionPlan
  unowned let context: ClientLoopContext
  package weak var owner: (any ConnectionOwner)?
  /// The request instead of a WebSocket, until its outcome is reported.
  var request: RequestExchange?
  var stage = Stage.resolving
  var endpoint: WebSocketEndpoint?
  /// The socket, TLS, and the queued output.
  var stream = SocketStream()
  let local: LocalEnd
  /// Whether the owner paused reading.
  var isReadingPaused = false
  private var timer: EventLoop.TimerToken?
  /// The deadline of the attempt to connect, on the loop's clock.
  private let attemptDeadline: Int64

  /// - Parameter local: The options of the local socket.
  package init(
    _ plan: ConnectionPlan, context: ClientLoopContext, owner: (any ConnectionOwner)?,
    local: LocalEnd = LocalEnd()
  ) {
    self.plan = plan
    self.local = local
    self.context = context
    self.owner = owner
    attemptDeadline = context.loop.now + plan.attemptTimeout
  }

  /// Creates a connection for one request; the parts of its response are reported until it is dropped.
  init(_ plan: ConnectionPlan, context: ClientLoopContext, request: RequestExchange) {
    self.plan = plan
    self.context = context
    self.request = request
    local = LocalEnd()
    attemptDeadline = context.loop.now + plan.attemptTimeout
  }

  // A loop that ends drops its connections without closing them individually.
  deinit {
    stream.closeWithoutLoop()
  }

  /// The remaining milliseconds of the attempt.
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

  /// Closes the connection; its owner receives no further calls.
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
      request.deliver(.failed(failure))
    }
    let owner = owner
    self.owner = nil
    owner?.connection(self, ended: end)
  }

  /// Writes queued bytes, then waits for the server to close the connection (RFC 6455 §7.1.1).
  func linger() {
    stage = .closing
    endpoint = nil
    setTimer(after: Self.closePatience)
    scheduleFlush()
  }

  /// Releases all resources immediately, without sending anything to the server.
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
    case .upgrading:
      end(
        ConnectionFailure(
          .temporary, "the opening handshake took too long", handshake: .unanswered))
    case .requesting: end(.temporary, "the request took too long")
    }
  }
}
