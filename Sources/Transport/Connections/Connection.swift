import HTTP1
import Reactor
import Streams
import TLS
package import WebSocket

/// One TCP connection: its socket, TLS if any, what it speaks, and what waits to be written.
///
///     proxyHeader ──► http ──► webSocket ──► closing ──► lingering ──► closed
///     receiving ◄─────► │ └────────────────────────────────────▲
///             │         ▼
///             └────► answering ──► sending ──► http
///
/// Confined to its transport's event loop.
package final class Connection {
  /// Indirect: what only some stages need takes no room in all the connections that are open.
  indirect enum Stage {
    /// A proxy's word about the client is awaited, before TLS.
    case proxyHeader(ProxyHeaderParser)
    /// Requests are read one by one.
    case http(HTTPRequestParser)
    /// A request's body is on its way to its receiver.
    case receiving(ReceivedBody)
    /// A request's answer is awaited from the delegate.
    case answering(PendingRequest)
    /// A file is being written behind the head of an answer.
    case sending(OutgoingFile)
    /// Open: messages flow both ways.
    case webSocket
    /// Our close frame is on its way; the peer's is awaited.
    case closing
    /// All is said: what waits is written, then our side ended, and what still comes discarded, so
    /// that the kernel does not reset the connection before the peer has read our last words.
    case lingering
    case closed
  }

  /// Why the connection is closed once the fan-out under way is over.
  enum PendingClose {
    case slow
    case broken
  }

  package let id: ConnectionID
  /// The tag of the listener that it came from.
  package let listenerTag: Int
  /// What runs on the WebSocket.
  package internal(set) var application: (any WebSocketApplication)?
  /// What proxies have said; `nil` when none has.
  var proxiedPeer: ProxiedPeer?

  unowned let transport: Transport
  var stage: Stage
  var endpoint: WebSocketEndpoint?
  /// The socket, TLS, and the bytes that wait to be written.
  var stream: SocketStream
  var alarm = ConnectionTimer()
  // The small ones lie where the timer leaves room.

  /// Whether TLS is between the socket and what is spoken.
  package let isEncrypted: Bool
  /// How frames for this connection are encoded.
  package internal(set) var encoding = FrameEncoding.plain
  /// Whether the application waits for ``WebSocketApplication/connectionHasRoom(_:)``.
  private(set) var awaitsRoom = false
  var pendingClose: PendingClose?
  /// Whether the application has asked not to be given more for now.
  var isReadingPaused = false
  /// Whether the peer has ended its side; what it asked for before is still answered.
  var peerHasEnded = false
  /// When something last came from the peer; `nil` when nothing has since a request was awaited.
  var lastReceived: Int64?
  /// Bytes read from a WebSocket before the application paused reading.
  var heldInput: [UInt8] = []
  // There may be many connections, and these are seldom large: 32 bits each.

  /// The frame of which the first bytes have been written, or encrypted.
  var cutFrame = CutFrame()
  /// This connection's part of the transport's total.
  private(set) var accountedByteCount: UInt32 = 0
  private var applicationHoldings: UInt32 = 0
  /// Its place among the connections of its address, and among those that make room.
  var admission: ConnectionAdmission

  private init(
    id: ConnectionID, descriptor: Int32, tls: TLSSession?, tag: Int, pool: SocketPool,
    transport: Transport
  ) {
    listenerTag = tag
    admission = ConnectionAdmission(in: pool)
    self.id = id
    stream = SocketStream(descriptor, tls: tls)
    isEncrypted = tls != nil
    self.transport = transport
    stage = Self.firstStage(of: transport)
  }

  static func firstStage(of transport: Transport) -> Stage {
    .http(HTTPRequestParser(limits: transport.configuration.http, bodies: .chosenByHead))
  }

  /// Takes over an accepted socket.
  static func open(
    descriptor: Int32, tls: TLSSession?, proxyHeader: ProxyHeaderPolicy = .none, tag: Int,
    pool: SocketPool = .clients, transport: Transport
  ) throws(SystemError) {
    let id = transport.connections.reserve(descriptor: descriptor)
    let connection = Connection(
      id: id, descriptor: descriptor, tls: tls, tag: tag, pool: pool, transport: transport)
    transport.connections.insert(connection)
    do throws(SystemError) {
      try connection.stream.watch(for: .readable, on: transport.loop, handler: connection)
    } catch {
      transport.connections.remove(id)
      throw error
    }
    connection.becomeSheddable()
    connection.awaitHead()
    switch proxyHeader {
    case .none: connection.dropIfRefused(connection.enterAddress())
    case .required(let trusted):
      guard !connection.awaitProxyHeader(from: trusted) else { break }
      transport.delegate?.connection(connection, lacksProxyHeader: "it is from none of the proxies")
      connection.drop()
    }
  }

  /// Ends a connection of an address that has too many.
  ///
  /// - Returns: Whether it was ended.
  @discardableResult
  func dropIfRefused(_ refusal: ExceededAddressLimit?) -> Bool {
    guard let refusal else { return false }
    transport.counters.refusedByAddress += 1
    transport.delegate?.connection(self, isRefused: refusal)
    drop()
    return true
  }

  /// Whether a WebSocket is open on it.
  package var isOpen: Bool {
    if case .webSocket = stage { true } else { false }
  }

  /// Whether a request is still to be answered, or its answer to be written.
  package var isAnswering: Bool {
    switch stage {
    case .receiving, .answering, .sending: true
    case .proxyHeader, .http, .webSocket, .closing, .lingering, .closed: false
    }
  }

  /// Whether nothing of a request has come, nor waits to be written.
  var isIdle: Bool {
    switch stage {
    case .proxyHeader: true
    case .http(let parser): parser.isIdle && queuedByteCount == 0
    case .receiving, .answering, .sending, .webSocket, .closing, .lingering, .closed: false
    }
  }

  /// Whether all has been said and written, and only the peer's end is awaited.
  var hasSaidAll: Bool {
    if case .lingering = stage { queuedByteCount == 0 } else { false }
  }

  /// Whether a request waits for the delegate's answer.
  var awaitsAnswer: Bool {
    if case .answering = stage { true } else { false }
  }

  /// Whether it was upgraded and has not been given back.
  package var isWebSocket: Bool { endpoint != nil }

  /// How many bytes wait to be written.
  package var queuedByteCount: Int { stream.queuedByteCount }

  /// The socket; -1 once it is closed.
  var descriptor: Int32 { stream.descriptor }

  /// The timer that is set, if any.
  var timer: EventLoop.TimerToken? { alarm.token }

  /// The readiness that the socket is watched for.
  var interest: Readiness { stream.interest }

  /// Whether a reply of so many bytes may be sent now.
  ///
  /// It makes no slow consumer of the client. Without room
  /// ``WebSocketApplication/connectionHasRoom(_:)`` follows.
  package func hasRoom(for byteCount: Int) -> Bool {
    let queued = queuedByteCount
    if queued == 0 || queued + byteCount <= transport.configuration.outboundHighWaterMark {
      return true
    }
    awaitsRoom = true
    return false
  }

  /// Sends the reply to a request of the client's, whatever waits: see ``hasRoom(for:)``.
  package func send(reply text: [UInt8]) {
    guard isOpen, pendingClose == nil else { return }
    var frame: [UInt8] = []
    transport.appendFrame(text: text, encoding: encoding, into: &frame)
    append(frame)
  }

  /// The memory that the application holds for the connection.
  package var applicationByteCount: Int {
    get { Int(applicationHoldings) }
    set {
      let count = UInt32(clamping: newValue)
      guard count != applicationHoldings else { return }
      applicationHoldings = count
      account()
    }
  }

  /// Notifies an application that waits for room.
  func offerRoom() {
    guard awaitsRoom else { return }
    awaitsRoom = false
    // The peer takes what it is sent.
    lastReceived = transport.loop.now
    application?.connectionHasRoom(self)
  }

  /// Carries a change of what the connection holds over to the transport's total.
  func account() {
    let count = UInt32(
      clamping: stream.queuedByteCount + heldInput.count + applicationByteCount)
    transport.heldByteCount += Int(count) - Int(accountedByteCount)
    accountedByteCount = count
  }

  /// Sends a text message.
  package func send(text: [UInt8]) {
    guard isOpen else { return }
    var frame: [UInt8] = []
    transport.appendFrame(text: text, encoding: encoding, into: &frame)
    enqueue(frame)
  }

  /// Sends whole frames that are already in this connection's ``encoding``.
  package func send(frames: [UInt8]) {
    guard isOpen else { return }
    enqueue(frames)
  }

  /// Sends a message with this connection's own compression contexts, if it keeps any.
  package func send(_ message: WebSocketMessage) {
    guard isOpen else { return }
    var frame: [UInt8] = []
    switch message {
    case .text(let bytes):
      endpoint?.send(bytes.span, opcode: .text, using: transport.deflate, into: &frame)
    case .binary(let bytes):
      endpoint?.send(bytes.span, opcode: .binary, using: transport.deflate, into: &frame)
    }
    enqueue(frame)
  }

  /// Begins the closing handshake; nothing can be sent after it.
  package func close(_ code: CloseCode, reason: String = "") {
    guard isOpen else { return }
    var frame: [UInt8] = []
    endpoint?.close(code, reason: reason, into: &frame)
    append(frame)
    stage = .closing
    resumeReading()
    setTimer(.close, after: transport.configuration.closeTimeout)
    didStopBeingOpen(.closed(code))
  }

  /// The largest rest of a frame that is still written before a connection is closed that holds too
  /// much.
  private static let largestRest = 65_536

  /// Closes the connection and gives up at once what it holds: frames that wait are not sent, a
  /// request over HTTP is not answered.
  package func shed(_ code: CloseCode, reason: String) {
    guard isOpen, cutFrame.byteCount <= Self.largestRest else { return drop() }
    stream.keepFirst(cutFrame.byteCount)
    heldInput = []
    close(code, reason: reason)
    account()
  }

  /// Ends the connection without a closing handshake, once what waits has been written.
  package func end() {
    let wasOpen = isOpen
    finish()
    if wasOpen { didStopBeingOpen(.lost) }
  }

  /// Reads no more from the peer until ``resumeReading()``; the kernel then slows the peer down.
  package func pauseReading() {
    if isOpen { stopReading() }
  }

  /// Reads again, first what was read before.
  package func resumeReading() {
    isReadingPaused = false
    updateInterest()
    takeHeldInput()
  }

  func stopReading() {
    isReadingPaused = true
    updateInterest()
  }

  /// Tells the application, once, that the WebSocket is no longer open.
  func didStopBeingOpen(_ reason: ClosingReason) {
    transport.connections.setPath(.closed, of: id)
    guard let application else { return }
    self.application = nil
    application.connectionDidClose(self, reason)
    applicationByteCount = 0
  }

  /// Gives everything back.
  func drop() {
    if case .closed = stage { return }
    let wasOpen = isOpen
    abandonRequest()
    leaveAddress()
    stopBeingSheddable()
    stage = .closed
    if wasOpen { didStopBeingOpen(.lost) }
    cancelTimer()
    stream.close(on: transport.loop)
    heldInput = []
    applicationByteCount = 0
    account()
    endpoint = nil
    transport.connections.remove(id)
    transport.configuration.sockets?.budget(of: admission.pool).give()
  }
}
