internal import HTTP
package import Reactor
import Streams

/// All connections of one event loop, with their shared resources: buffers, compression, the flush
/// at the end of a turn.
///
/// Implements WebSocket and HTTP without any knowledge of chat. Confined to its event loop.
package final class Transport {
  /// The maximum number of fan-out writes between two polls: about a millisecond of work.
  private static let sweepBudget = 256
  /// The maximum number of bodies read between two polls: about a millisecond of work.
  private static let bodyBudget = 16
  /// The maximum number of reads per body: each piece wakes the threads that process it.
  private static let bodyReads = 4
  /// Larger fan-out buffers are freed at once.
  private static let spareBufferSize = 65_536

  package let loop: EventLoop
  package let configuration: TransportConfiguration
  package var counters = TransportCounters()
  /// The memory held by all connections together: bytes waiting to be written, and the memory of
  /// applications and requests.
  package var heldByteCount = 0
  /// The number of streams, open or ended.
  package internal(set) var streamCount = 0
  /// The number of requests so far.
  var exchangeCount: UInt64 = 0
  let connections = ConnectionTable()
  let deflate = DeflateWorkspace()
  let resources = StreamResources()
  private var answerDate = AnswerDate()
  /// The output of a WebSocket for the current read.
  var output = WebSocketOutput()
  weak var delegate: (any TransportDelegate)?
  /// The connections without a session, in the order in which they are closed to make room.
  var silence = SilenceOrder()
  /// The oldest times in ``silence`` as published to the other event loops.
  var notedSilence = [Int64?](repeating: nil, count: SocketPool.allCases.count)
  /// Whether the server is draining: every answer closes its connection.
  package private(set) var isDraining = false

  /// Gathers the writes of a fan-out; `nil` where a ring is not available.
  var ring: SendRing?
  private var listeners: [Listener] = []
  private var unflushed: [Connection] = []
  private var condemned: [Connection] = []
  /// Streams with events for their readers.
  private var pumpable: [Connection] = []
  /// Connections with readable bytes of a body, in the order of their turns.
  private var readableBodies: [Connection] = []
  /// The buffers with bytes that some of their subscribers have not received.
  package private(set) var sweepingBuffers: [BroadcastBuffer] = []
  private var spareBuffers: [[UInt8]] = []

  package init(
    loop: EventLoop, configuration: TransportConfiguration, delegate: any TransportDelegate
  ) {
    self.loop = loop
    self.configuration = configuration
    self.delegate = delegate
    if configuration.gathersSystemCalls { ring = SendRing() }
  }

  /// Accepts connections from a listening socket, which the transport then owns.
  ///
  /// - Parameters:
  ///   - proxyHeader: Whether a proxy first sends the address of each connection's client.
  ///   - tag: The owner's name for the listener, which is copied to its connections.
  ///   - pool: The pool whose limit applies to the listener's connections.
  package func listen(
    _ descriptor: Int32, security: Listener.Security, proxyHeader: ProxyHeaderPolicy = .none,
    tag: Int = 0, pool: SocketPool = .clients
  ) throws(SystemError) {
    let listener = Listener(
      descriptor: descriptor, security: security, proxyHeader: proxyHeader, tag: tag,
      pool: pool, transport: self)
    try listener.resume()
    listeners.append(listener)
  }

  /// Stops accepting; open connections stay.
  package func stopListening() {
    for listener in listeners { listener.close() }
    listeners = []
  }

  /// Begins to drain.
  ///
  /// Connections without a request in progress are closed immediately, the others with their answer.
  /// Connections are still accepted, for one request each.
  package func drain() {
    isDraining = true
    forEachConnection { $0.drainEvents() }
    closeIdle()
  }

  /// Closes the connections without a request in progress.
  package func closeIdle() {
    forEachConnection { if $0.isIdle { $0.drop() } }
  }

  /// Closes the connections that have written everything, without waiting for the end of their peers'
  /// sides.
  package func closeLingering() {
    forEachConnection { if $0.hasSaidAll { $0.drop() } }
  }

  /// The number of connections of any kind.
  package var connectionCount: Int { connections.count }

  /// The number of connections with bytes waiting to be written.
  package var queuedConnectionCount: Int { connections.queuedCount }

  /// Returns a connection; `nil` when it has ended.
  package func connection(_ id: ConnectionID) -> Connection? {
    connections[id]
  }

  /// Calls `body` with every connection; `body` may close connections.
  package func forEachConnection(_ body: (Connection) -> Void) {
    connections.forEach(body)
  }

  /// The connections that hold the most memory, largest first.
  package func largestHolders(_ limit: Int) -> [(id: ConnectionID, byteCount: Int)] {
    var holders: [(id: ConnectionID, byteCount: Int)] = []
    var least = 1
    connections.forEach { connection in
      let count = Int(connection.accountedByteCount) + connection.eventByteCount
      guard count >= least else { return }
      holders.append((connection.id, count))
      guard holders.count >= 2 * limit else { return }
      holders.sort { $0.byteCount > $1.byteCount }
      holders.removeLast(holders.count - limit)
      least = holders.last?.byteCount ?? 1
    }
    return Array(holders.sorted { $0.byteCount > $1.byteCount }.prefix(limit))
  }

  /// Encodes a text message as one frame for all connections with the same encoding.
  package func appendFrame(
    text: [UInt8], encoding: FrameEncoding, into frames: inout [UInt8]
  ) {
    if encoding.isEvents { return EventFrames.append(text, to: &frames) }
    guard encoding.isCompressed else {
      FrameEncoder.appendFrame(
        opcode: .text, payload: text.span, into: &frames)
      return
    }
    var compressed: [UInt8] = []
    let isDone = deflate.compress(
      text.span, windowBits: Int(encoding.windowBits), into: &compressed)
    guard isDone, compressed.count < text.count else {
      appendFrame(text: text, encoding: .plain, into: &frames)
      return
    }
    FrameEncoder.appendFrame(
      opcode: .text, payload: compressed.span, compressed: .deflated, into: &frames)
  }

  /// Delivers the bytes gathered in the turn.
  ///
  /// The loop's owner calls this last in each turn.
  package func flush() -> TurnOutcome {
    readBodies()
    var budget = Self.sweepBudget
    sweepBuffers(&budget)
    pumpStreams()
    flushConnections()
    closeCondemned()
    noteSilence()
    return sweepingBuffers.isEmpty && unflushed.isEmpty && readableBodies.isEmpty
      && pumpable.isEmpty
      ? .idle : .unfinished
  }

  // MARK: Called by connections and broadcast buffers

  /// Returns the answer with the current date.
  func dated(_ response: HTTPResponse) -> HTTPResponse {
    guard let clock = configuration.clock else { return response }
    var response = response
    response.fields["Date"] = answerDate.text(at: clock())
    return response
  }

  func needsFlush(_ connection: Connection) {
    unflushed.append(connection)
  }

  func needsPump(_ stream: Connection) {
    pumpable.append(stream)
  }

  func bodyIsReadable(_ connection: Connection) {
    readableBodies.append(connection)
  }

  func condemn(_ connection: Connection) {
    condemned.append(connection)
  }

  func bufferHasBytes(_ broadcast: BroadcastBuffer) {
    sweepingBuffers.append(broadcast)
  }

  func takeSpareBuffer() -> [UInt8] {
    spareBuffers.popLast() ?? []
  }

  func recycle(_ buffer: consuming [UInt8]) {
    guard buffer.capacity <= Self.spareBufferSize, spareBuffers.count < 64 else { return }
    buffer.removeAll(keepingCapacity: true)
    spareBuffers.append(buffer)
  }

  /// Delivers bytes to a subscriber whose socket cannot be written to directly.
  ///
  /// Out of line, because a copy inlined in a sweep's loop would take registers from each delivery.
  ///
  /// - Returns: The number of bytes written immediately, if all were; otherwise 0.
  @inline(never)
  func deliver(_ bytes: UnsafeRawBufferPointer, toSlot slot: UInt32, by path: WritePath) -> Int {
    guard path != .closed, let connection = connections.connection(inSlot: slot) else { return 0 }
    if path == .encrypted { return connection.deliverEncrypted(bytes) }
    connection.deliver(bytes)
    return 0
  }

  /// Lends memory for bytes that are put together and written in the same call.
  func withScratch<Result>(_ body: (inout [UInt8]) -> Result) -> Result {
    var bytes = takeSpareBuffer()
    let result = body(&bytes)
    recycle(consume bytes)
    return result
  }

  func count(_ writes: DirectWrites) {
    counters.writes += writes.attempts
    counters.bytesSent += writes.byteCount
  }

  func enqueue(_ bytes: [UInt8], toSlot slot: UInt32) {
    guard !bytes.isEmpty else { return }
    connections.connection(inSlot: slot)?.enqueue(bytes)
  }

  private func sweepBuffers(_ budget: inout Int) {
    var untouched: [BroadcastBuffer] = []
    var unfinished: [BroadcastBuffer] = []
    for broadcast in sweepingBuffers {
      let hasBudget = budget > 0
      guard !broadcast.sweep(budget: &budget) else { continue }
      if hasBudget { unfinished.append(broadcast) } else { untouched.append(broadcast) }
    }
    // Buffers that had no turn come first in the next one.
    sweepingBuffers = untouched + unfinished
  }

  private func readBodies() {
    guard !readableBodies.isEmpty else { return }
    let turn = readableBodies.prefix(Self.bodyBudget)
    readableBodies.removeFirst(turn.count)
    let reads = min(Self.bodyReads, Self.bodyBudget / turn.count)
    for connection in turn { connection.receiveBodyTurn(reads: reads) }
  }

  private func pumpStreams() {
    guard !pumpable.isEmpty else { return }
    let waiting = pumpable
    pumpable = []
    for stream in waiting { stream.pumpEvents() }
  }

  private func flushConnections() {
    let waiting = unflushed
    unflushed = []
    for connection in waiting { connection.flush() }
  }

  private func closeCondemned() {
    while let connection = condemned.popLast() { connection.closeCondemned() }
  }
}
