import HTTP
import Reactor
import Streams

/// A connection whose events are carried by the responses to HTTP requests.
///
/// It outlives the responses. Between them, and while a response on another connection carries the events, it
/// has no socket: see `Connection+EventSocket.swift`. To its application it is a connection like others: the
/// same calls, limits and counters.
extension Connection {
  /// Opens a stream for the client of a request.
  ///
  /// - Parameters:
  ///   - requester: The connection of the request; it provides the client's address.
  ///   - grace: The time in milliseconds for which the stream stays open without a reader.
  /// - Returns: The reason why the client's address may have no more connections.
  package static func openStream(
    for requester: Connection, grace: Int64
  ) -> Result<Connection, ExceededAddressLimit> {
    let transport = requester.transport
    let connection = Connection(
      id: transport.connections.reserve(descriptor: -1), stream: SocketStream(),
      tag: requester.listenerTag, pool: requester.admission.pool, transport: transport)
    transport.connections.insert(connection)
    connection.becomeStream(EventStream(of: requester.clientAddress, grace: grace))
    if let refusal = connection.enterAddress() {
      transport.connections.remove(connection.id)
      return .failure(refusal)
    }
    transport.streamCount += 1
    connection.noteInput()
    return .success(connection)
  }

  /// Whether the connection is a stream, open or ended.
  package var isStream: Bool { encoding.isEvents }

  /// Begins to notify the application of a stream.
  ///
  /// - Parameter opened: Receives the reply to the first message, which is no event; `nil` when the stream
  ///   ended before.
  package func begin(
    _ application: any WebSocketApplication, opened: @escaping (_ reply: [UInt8]?) -> Void
  ) {
    begin(application)
    events?.opening = opened
  }

  /// The number of posted messages that wait while nothing is read.
  package static var heldMessageLimit: Int { EventStream.heldMessageLimit }

  /// Whether events wait for a reader.
  package var hasWaitingEvents: Bool { events?.buffer.hasWaiting == true }

  /// Receives a message that the client has posted: at once, or when reading resumes.
  ///
  /// - Parameter receive: Called once unless the result is `false`: with `false` when the stream ended.
  /// - Returns: `false` when too many messages wait.
  package func receivePosted(
    byteCount: Int, _ receive: @escaping (_ isOpen: Bool) -> Void
  ) -> Bool {
    guard case .eventStream(let events) = stage else {
      receive(false)
      return true
    }
    noteInput()
    guard isReadingPaused || !events.held.isEmpty else {
      transport.counters.messagesReceived += 1
      receive(true)
      return true
    }
    guard events.held.count < EventStream.heldMessageLimit else { return false }
    events.held.append(EventStream.HeldMessage(byteCount: byteCount, receive: receive))
    events.account(in: transport)
    return true
  }

  /// Receives the messages that were posted while nothing was read.
  func receiveHeldMessages() {
    guard case .eventStream(let events) = stage else { return }
    while !isReadingPaused, !events.held.isEmpty, isOpen {
      let message = events.held.removeFirst()
      transport.counters.messagesReceived += 1
      message.receive(true)
    }
    events.account(in: transport)
  }

  // MARK: Readers

  /// Confirms the events up to a number, and prepares to send the later ones to a new reader.
  package func resumeEvents(after number: UInt64) -> EventBuffer.Resumption {
    guard let events else { return .gone }
    let result = events.buffer.resume(after: number)
    if result == .resumed {
      noteInput()
      events.descriptor = -1
      events.account(in: transport)
    }
    return result
  }

  /// Confirms the events up to a number that the current reader has taken.
  package func confirmEvents(upTo number: UInt64) -> EventBuffer.Resumption {
    guard let events else { return .gone }
    defer { events.account(in: transport) }
    return events.buffer.confirm(upTo: number)
  }

  /// Sends the events to a reader, in place of the current one.
  package func attach(_ reader: any EventReader) {
    guard let events else { return reader.endResponse() }
    endReader(of: events)
    events.reader = reader
    awaitReader(events, reader, unwrittenSince: nil)
    pumpEvents()
  }

  /// Takes notice that a reader can take more.
  package func readerHasRoom(_ reader: any EventReader) {
    guard let events, self.reader(of: events) === reader else { return }
    pumpEvents()
  }

  /// Takes notice that the client of a reader is gone.
  package func readerDidEnd(_ reader: any EventReader) {
    guard let events, events.reader === reader else { return }
    readerWasLost(events)
  }

  func readerWasLost(_ events: EventStream) {
    // The client may have been gone for as long as a response without progress is kept.
    noteInput(before: transport.configuration.progressTimeout + EventStream.commentInterval)
    detachReader(events)
  }

  /// The response that carries the events; `nil` between requests.
  private func reader(of events: EventStream) -> (any EventReader)? {
    descriptor >= 0 ? self : events.reader
  }

  /// Passes waiting events to the reader, and ends a response that is complete.
  func pumpEvents() {
    guard let events else { return }
    events.isListed = false
    if let reader = reader(of: events) { pump(events, into: reader) }
    if events.buffer.waitingByteCount == 0 || reader(of: events) != nil { offerRoom() }
    events.account(in: transport)
    findDescriptor(of: events)
  }

  private func pump(_ events: EventStream, into reader: any EventReader) {
    let isAnswer = pass(events, to: reader) && reader.isPoll
    guard isAnswer || !isOpen && !events.buffer.hasWaiting else { return }
    endReader(of: events)
    if !isOpen, events.isReleased || transport.isDraining { drop() }
  }

  /// Finds the socket to which later events may be written at once.
  func findDescriptor(of events: EventStream) {
    let mayWrite =
      isOpen && pendingClose == nil && !events.isListed && !events.buffer.hasWaiting
      && events.encoding?.isPlain == true
    events.descriptor = mayWrite ? writableDescriptor : -1
  }

  /// Passes waiting events to a reader for as long as it has room.
  ///
  /// - Returns: Whether there were some, and room for them.
  @discardableResult
  private func pass(_ events: EventStream, to reader: any EventReader) -> Bool {
    let limit = reader.isPoll ? Int.max / 2 : EventBody.highWaterMark
    var isSome = false
    while reader.takesMore, take(events, upTo: limit, into: reader) { isSome = true }
    return isSome
  }

  /// Passes the next waiting events to a reader; `false` when there are none.
  private func take(_ events: EventStream, upTo limit: Int, into reader: any EventReader) -> Bool {
    transport.withScratch { bytes in
      guard events.buffer.take(upTo: limit, into: &bytes) else { return false }
      bytes.withUnsafeBytes { reader.take(events: $0) }
      return true
    }
  }

  func awaitReader(
    _ events: EventStream, _ reader: any EventReader, unwrittenSince: Int64?
  ) {
    guard isOpen else { return }
    if reader.isPoll {
      setTimer(.pollEnd, after: EventStream.pollTimeout)
    } else {
      setTimer(.comment(unwrittenSince: unwrittenSince), after: EventStream.commentInterval)
    }
  }

  /// Ends the response that carries the events.
  func endReader(of events: EventStream) {
    reader(of: events)?.endResponse()
    detachReader(events)
  }

  private func detachReader(_ events: EventStream) {
    events.reader = nil
    events.encoding = nil
    events.descriptor = -1
    if isOpen { setTimer(.grace, after: events.grace) }
  }

  /// Keeps the response of a reader alive, and ends that of a client that reads nothing.
  ///
  /// - Parameter start: The time since which bytes have waited for the socket, as known at the last comment.
  func sendComment(unwrittenSince start: Int64?) {
    guard let events, let reader = reader(of: events) else { return }
    let start = unwrittenTime(since: start)
    if let start, transport.loop.now - start >= transport.configuration.progressTimeout {
      return loseReader()
    }
    if reader.takesMore { Self.comment.withUnsafeBytes { reader.take(events: $0) } }
    // The write may have found that the client is gone.
    guard self.reader(of: events) === reader else { return }
    awaitReader(events, reader, unwrittenSince: start)
    findDescriptor(of: events)
  }

  /// The time since which the socket of the stream has accepted none of the waiting bytes; `nil` when
  /// none wait.
  private func unwrittenTime(since start: Int64?) -> Int64? {
    guard descriptor >= 0, queuedByteCount > 0 else { return nil }
    guard let start, lastReceived ?? .min <= start else { return transport.loop.now }
    return start
  }

  private static let comment = Array(":\n\n".utf8)

  /// Answers a poll that has waited long enough.
  func endPoll() {
    guard let events else { return }
    endReader(of: events)
  }

  // MARK: Output

  /// The bytes that the client has not read, as far as the connection knows.
  var unsentByteCount: Int {
    guard let events else { return queuedByteCount }
    return events.buffer.waitingByteCount + (reader(of: events)?.waitingByteCount ?? 0)
  }

  /// The largest number of unsent bytes.
  var outboundLimit: Int {
    let limit = transport.configuration.outboundBytes
    guard let events, reader(of: events) == nil else { return limit }
    return min(limit, EventBuffer.keptByteCount)
  }

  /// The memory of the events and of posted messages that wait.
  var eventByteCount: Int { encoding.isEvents ? events?.byteCount ?? 0 : 0 }

  /// Appends events.
  func append(_ batch: EventBatch) {
    guard let events else { return }
    events.buffer.append(batch)
    pumpLater(events)
  }

  /// Appends the events of a fan-out that cannot be written at once.
  func deliver(_ batch: EventBatch) {
    if admits(batch.text.count) { append(batch) }
  }

  /// Passes the reply to the message that opens the stream to its receiver.
  ///
  /// - Returns: Whether the reply was that one.
  func answersOpening(_ text: [UInt8]) -> Bool {
    guard let events, let opening = events.opening else { return false }
    events.opening = nil
    setTimer(.grace, after: events.grace)
    opening(text)
    return true
  }

  private func pumpLater(_ events: EventStream) {
    guard !events.isListed else { return }
    events.descriptor = -1
    events.isListed = true
    transport.needsPump(self)
  }

  // MARK: The end

  /// Sends the last event, and keeps it for a client without a request at the moment.
  func closeEvents(_ code: CloseCode, reason: String) {
    guard case .eventStream(let events) = stage else { return }
    EventFrames.closing(code, reason: reason).withUnsafeBytes {
      events.buffer.append(EventBatch($0))
    }
    enter(.endedStream(events))
    events.descriptor = -1
    // A client that has asked for the end needs no second chance to learn of it.
    if code == .normalClosure, reader(of: events) != nil { events.isReleased = true }
    awaitLastReader(of: events)
    endInput(of: events)
    pumpLater(events)
  }

  /// Ends a stream whose client wants nothing more, except for a reader that it has.
  package func release() {
    guard let events else { return }
    events.isReleased = true
    if !isOpen { awaitLastReader(of: events) }
  }

  /// Keeps an ended stream for a client without a request at the moment.
  func awaitLastReader(of events: EventStream) {
    let isWanted = reader(of: events) != nil || !events.isReleased
    let limit = transport.isDraining ? transport.configuration.closeTimeout : events.grace
    setTimer(.close, after: isWanted ? limit : 0)
  }

  /// Ends a stream that has been closed, or soon after when its client has not read the last events.
  func drainEvents() {
    guard case .endedStream(let events) = stage else { return }
    if events.buffer.hasWaiting { awaitLastReader(of: events) } else { drop() }
  }

  /// Frees the events of a stream that holds too much memory.
  func dropEvents() {
    guard let events else { return }
    events.buffer.removeAll()
    events.account(in: transport)
  }

  /// Ends the stream with its reader, which gets what is waiting.
  func endEvents() {
    guard let events else { return }
    if let reader = reader(of: events) {
      _ = take(events, upTo: .max / 2, into: reader)
      endReader(of: events)
    }
    endInput(of: events)
    events.buffer.removeAll()
    events.account(in: transport)
    transport.streamCount -= 1
  }

  private func endInput(of events: EventStream) {
    let held = events.held
    events.held = []
    for message in held { message.receive(false) }
    let opening = events.opening
    events.opening = nil
    opening?(nil)
  }

  /// The stream, open or ended.
  var events: EventStream? {
    switch stage {
    case .eventStream(let events), .endedStream(let events): events
    case .proxyHeader, .http, .receiving, .answering, .sending, .webSocket, .departing, .closing,
      .lingering, .closed:
      nil
    }
  }
}
