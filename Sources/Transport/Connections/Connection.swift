import HTTP
import Reactor
import Streams

/// A TCP connection: its socket, TLS if any, its protocol, and its queue of bytes to be written.
///
/// Or an event stream, which has a socket only at times: see `Connection+Events.swift`.
///
///     proxyHeader ──► http ──► webSocket ──► closing ──► lingering ──► closed
///     receiving ◄─────► │ └────────────────────────────────────▲
///             │         ▼
///             └────► answering ──► sending ──► http
///
/// Confined to its transport's event loop.
package final class Connection {
  /// The reason for closing the connection after the current fan-out.
  enum PendingClose {
    case slow
    case broken
  }

  package let id: ConnectionID
  /// The tag of the listener that accepted the connection.
  package let listenerTag: Int
  /// The application that uses the WebSocket.
  package private(set) var application: (any WebSocketApplication)?
  /// The addresses that proxies have forwarded; `nil` when there are none.
  private(set) var proxiedPeer: ProxiedPeer?

  unowned let transport: Transport
  private(set) var stage: Stage
  var endpoint: WebSocketEndpoint?
  /// The socket, TLS, and the bytes waiting to be written.
  var stream: SocketStream
  private var alarm = ConnectionTimer()
  // The small fields are placed in the padding after the timer.

  /// Whether the connection uses TLS.
  package let isEncrypted: Bool
  /// The encoding of frames for this connection.
  package private(set) var encoding = FrameEncoding.plain
  /// Whether the application waits for ``WebSocketApplication/connectionHasRoom(_:)``.
  private(set) var awaitsRoom = false
  private(set) var pendingClose: PendingClose?
  /// Whether reading is paused, by the application or for lack of room.
  private(set) var isReadingPaused = false
  /// Whether the peer has ended its side; its earlier requests are still answered.
  private(set) var peerHasEnded = false
  /// The time of the last input; `nil` when none was received since the wait for a request began.
  package private(set) var lastReceived: Int64?
  /// Bytes read from a WebSocket before the application paused reading.
  private var heldInput: [UInt8] = []
  // There may be many connections, and these values are seldom large: 32 bits each.

  /// The frame whose first bytes have been written or encrypted.
  var cutFrame = CutFrame()
  /// This connection's part of the transport's total.
  private(set) var accountedByteCount: UInt32 = 0
  private var applicationHoldings: UInt32 = 0
  /// The connection's entry in the count of its address, and in the order of closing to make room.
  var admission: ConnectionAdmission

  init(
    id: ConnectionID, stream: consuming SocketStream, tag: Int, pool: SocketPool,
    transport: Transport
  ) {
    listenerTag = tag
    admission = ConnectionAdmission(in: pool)
    self.id = id
    isEncrypted = stream.isEncrypted
    self.stream = stream
    self.transport = transport
    stage = Self.nextRequest(on: transport)
  }

  /// The stage in which the first bytes of a request are awaited.
  static func nextRequest(on transport: Transport) -> Stage {
    .http(HTTPRequestParser(limits: transport.configuration.http, bodies: .chosenByHead))
  }

  /// Whether the connection was upgraded and has not been closed.
  package var isWebSocket: Bool { endpoint != nil }

  /// The number of bytes waiting to be written.
  package var queuedByteCount: Int { stream.queuedByteCount }

  /// The socket; -1 after it is closed.
  var descriptor: Int32 { stream.descriptor }

  /// The current timer, if any.
  var timer: EventLoop.TimerToken? { alarm.token }

  /// Whether another request may begin, and has not begun.
  var isIdling: Bool { alarm.isIdle }

  /// The readiness events that the socket is watched for.
  var interest: Readiness { stream.interest }

  /// Whether a reply of `byteCount` bytes may be sent now.
  ///
  /// A reply over the limit does not make the client a slow consumer. When there is no room,
  /// ``WebSocketApplication/connectionHasRoom(_:)`` is called later.
  package func hasRoom(for byteCount: Int) -> Bool {
    let queued = unsentByteCount
    if queued == 0 || queued + byteCount <= outboundLimit / 2 {
      return true
    }
    awaitsRoom = true
    if isDeparting { scheduleFlush() }
    return false
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
    // The peer reads the bytes that it is sent.
    noteInput()
    application?.connectionHasRoom(self)
  }

  /// Adds a change of the connection's memory to the transport's total.
  func account() {
    let count = UInt32(
      clamping: stream.queuedByteCount + heldInput.count + applicationByteCount)
    transport.heldByteCount += Int(count) - Int(accountedByteCount)
    accountedByteCount = count
  }

  /// Stops reading from the peer until ``resumeReading()``; the kernel then slows the peer down.
  package func pauseReading() {
    if isOpen { stopReading() }
  }

  /// Resumes reading, starting with the input that was kept.
  package func resumeReading() {
    isReadingPaused = false
    updateInterest()
    encoding.isEvents ? receiveHeldMessages() : takeHeldInput()
  }

  func stopReading() {
    isReadingPaused = true
    updateInterest()
  }

  /// Keeps input that was read before the application paused reading.
  func hold(_ rest: Slice<UnsafeBufferPointer<UInt8>>) {
    heldInput = Array(rest)
    account()
  }

  /// Handles the input that was read before the application paused reading.
  private func takeHeldInput() {
    guard !heldInput.isEmpty, isOpen else { return }
    let held = heldInput
    heldInput = []
    held.withUnsafeBytes { receiveFrames($0) }
    account()
  }

  func dropHeldInput() {
    heldInput = []
  }
}

/// Changes the state.
extension Connection {
  func enter(_ next: Stage) {
    stage = next
  }

  /// Records the client that proxies have forwarded.
  func note(_ peer: ProxiedPeer) {
    proxiedPeer = peer
  }

  /// Records that the peer has sent or accepted bytes.
  func noteInput() {
    lastReceived = transport.loop.now
  }

  /// Records that the peer was there until at least this many milliseconds ago.
  func noteInput(before milliseconds: Int64) {
    lastReceived = max(lastReceived ?? .min, transport.loop.now - milliseconds)
  }

  /// Records that the peer sends nothing more.
  func noteEndOfInput() {
    peerHasEnded = true
  }

  /// Clears the time of the last input, to wait for the first byte of a request.
  func forgetInput() {
    lastReceived = nil
  }

  /// Turns the connection into a WebSocket with an application.
  func becomeWebSocket(
    _ endpoint: consuming WebSocketEndpoint, encoding: FrameEncoding,
    application: any WebSocketApplication
  ) {
    self.endpoint = consume endpoint
    self.encoding = encoding
    self.application = application
    stage = .webSocket
  }

  /// Turns the connection into a stream.
  func becomeStream(_ events: EventStream) {
    encoding = .events
    stage = .eventStream(events)
    transport.connections.insert(events, of: id)
    transport.connections.setPath(.events, of: id)
  }

  /// Begins to notify the application of a stream.
  func begin(_ application: any WebSocketApplication) {
    self.application = application
  }

  /// Detaches the application, which then gets no more notifications.
  func takeApplication() -> (any WebSocketApplication)? {
    defer { application = nil }
    return application
  }

  /// Closes the connection after the current fan-out.
  func condemn(_ reason: PendingClose) {
    guard pendingClose == nil else { return }
    pendingClose = reason
    transport.connections.setPath(.closed, of: id)
    transport.condemn(self)
  }

  func takePendingClose() -> PendingClose? {
    defer { pendingClose = nil }
    return pendingClose
  }

  func setTimer(_ deadline: ConnectionTimer.Deadline, after delay: Int64) {
    alarm.set(deadline, after: delay, on: transport.loop, for: self)
  }

  func cancelTimer() {
    alarm.cancel(on: transport.loop)
  }

  /// The purpose of a timer that has fired; `nil` when it is not the one that is set.
  func takeDeadline(of token: EventLoop.TimerToken) -> ConnectionTimer.Deadline? {
    alarm.fire(token)
  }
}
