import Channels
import Configuration
import FloodControl
import ParleyProtocol
import Reactor
import ShardMessages
import Telemetry
import Transport
import WebSocket

/// The authenticated client on a connection: reads requests, has them carried out where their
/// channel or user is at home, and answers in order.
///
///     awaitingOpen ──► opening ──► open ──► closed
///
/// Confined to its connection's shard.
final class Session {
  typealias Pipeline = RequestPipeline<RPCRequest>

  enum State {
    /// Only `session.open` is understood.
    case awaitingOpen
    /// The user is being looked up.
    indirect case opening(SessionOpen, ReplyAddress)
    case open(Identity)
    /// The ticket of an observer is being redeemed.
    indirect case openingObserver(ReplyAddress)
    case observing(Observer)
    case closed
  }

  /// The user that the session belongs to.
  struct Identity {
    let id: String
    var user: User
    /// Unix milliseconds.
    let openedAt: Int64
    /// The token that keeps it open; `session.refresh` may bring another.
    var proof: TokenProof
    /// The number of the last ``Eviction`` before that token was checked.
    var lastEviction: Int64
    /// Unix milliseconds, when the last key that the session got for files ends; `nil` without one.
    var fileKeyExpiry: Int64?
  }

  /// A channel that the connection is in, and its place in the channel's feed.
  struct Place {
    let url: String
    let subscription: Subscription
  }

  /// A close that waits; an object, so that the sessions without one pay one word for it.
  private final class PendingClose {
    let code: CloseCode
    let reason: String

    init(_ code: CloseCode, _ reason: String) {
      self.code = code
      self.reason = reason
    }
  }

  /// With more than this unanswered the connection is not read: each request counts, and each call
  /// in it.
  private static let backlogLimit = 128
  /// Up to this many bytes of requests and replies are not accounted.
  private static let negligibleByteCount = 2_048
  /// With requests of more memory than this unanswered the connection is not read.
  private static let requestLimit = 524_288
  /// So many malformed requests in a row end the connection.
  private static let malformedLimit = 10

  unowned let shard: Shard
  unowned let connection: Connection
  let reference: SessionAddress
  var state = State.awaitingOpen
  // The flags lie where the state leaves room.
  private var malformedCount: UInt8 = 0
  /// With too much unanswered the connection is not read.
  private var isFull = false
  private let keepsContext: Bool
  /// The base of addresses that the upgrade named; see ``NamedBases``.
  let base: UInt16
  /// The channels that the connection is in: a few at most, so that a list is smaller and faster
  /// than a table.
  var places: [Place] = []
  var timer: EventLoop.TimerToken?
  var deadline = Deadline.open
  /// The last evictions, by the kinds of tokens that are void, while one is being looked up.
  var evictions: [TokenProof: Int64] = [:]
  private var pipeline = Pipeline()
  private var budget = CallBudget()
  /// Waits until the caller is out of debt; the connection is not read meanwhile.
  private var silence: Silence?
  /// The files of calls that send several.
  var fileSends: [FileSends] = []
  /// The channels of the sends that others pass, since they may wait.
  var passedSends: [CallTicket: String] = [:]
  /// The previews that are fetched for the client; made with the first.
  var fetches: PreviewFetches?
  /// A close that waits until what was accepted is answered.
  private var pendingClose: PendingClose?

  /// - Parameter keepsContext: Whether the client may compress with what it sent before.
  init(connection: Connection, shard: Shard, keepsContext: Bool, base: UInt16 = 0) {
    self.keepsContext = keepsContext
    self.base = base
    self.connection = connection
    self.shard = shard
    reference = SessionAddress(on: shard.handle.address, connection: connection.id)
    setTimer(.open, after: shard.settings.limits.openTimeoutMilliseconds)
  }

  /// The principal of its calls, once the session is open.
  var caller: SessionPrincipal? {
    guard case .open(let identity) = state else { return nil }
    return SessionPrincipal(user: identity.user, session: reference)
  }

  /// Sends an event, unless the session is closed.
  func send(_ event: [UInt8]) {
    connection.send(text: event)
    if case .observing = state { return }
    shard.counters.add(to: .deliveries)
  }

  /// The connection's place in a channel's feed; `nil` when it is not in the channel.
  func subscription(to url: String) -> (Subscription, FrameEncoding)? {
    places.first { $0.url == url }.map { ($0.subscription, connection.encoding) }
  }

  /// Closes the connection at once.
  func close(_ code: CloseCode, reason: String) {
    connection.close(code, reason: reason)
  }

  /// Closes the connection as soon as all that was asked is answered.
  func closeWhenAnswered(_ code: CloseCode, reason: String) {
    pendingClose = PendingClose(code, reason)
    cancelFetches()
    closeIfAnswered()
  }

  /// Brings the reply to a call.
  func complete(_ address: ReplyAddress, _ outcome: CallOutcome) {
    if address.ticket.isPart { return completePart(address, outcome) }
    if !passedSends.isEmpty { passedSends[address.ticket] = nil }
    if case .failure(let error) = outcome {
      shard.counters.add(to: .callsFailed)
      shard.countOutcome(of: error)
      if !address.isPaid { chargeRefusal(error) }
    }
    let reply = address.id.map { outcome.reply(to: $0) }
    if let reply, !pipeline.admits(reply.count, for: address.ticket) {
      pipeline.refuseRest(after: address.ticket)
      refuse(address.ticket, address.id, .batchTooLarge)
    } else {
      pipeline.complete(address.ticket, reply: reply)
    }
    proceed()
  }

  /// The bytes that the reply to a call under way may hold; fewer when others have passed it.
  func replyLimit(of address: ReplyAddress) -> Int { pipeline.replyLimit(of: address.ticket) }

  /// Lets later calls pass a send that its channel may keep for a while.
  func pass(_ address: ReplyAddress, in url: String) {
    guard pipeline.pass(address.ticket) else { return }
    passedSends[address.ticket] = url
    proceed()
  }

  /// The same for a send that is being started, behind which the next calls are started anyway.
  func passAsItStarts(_ address: ReplyAddress, in url: String) {
    if pipeline.pass(address.ticket) { passedSends[address.ticket] = url }
  }

  /// Lets later calls pass a send to a channel that keeps an earlier one.
  func passIfBehindAnother(_ address: ReplyAddress, in url: String) {
    if isSendKept(by: url) { passAsItStarts(address, in: url) }
  }

  /// Whether a channel keeps a send, behind which others of the connection wait there.
  func isSendKept(by url: String) -> Bool {
    !passedSends.isEmpty && passedSends.values.contains(url)
  }

  private func proceed() {
    sendReplies()
    if startCalls() { sendReplies() }
    accountForHeld()
    closeIfAnswered()
    if isFull, pipeline.backlog < Self.backlogLimit / 2,
      pipeline.requestByteCount <= Self.requestLimit / 2
    {
      isFull = false
      if silence == nil { connection.resumeReading() }
    }
    fallSilentIfIndebted()
  }

  /// Accounts for requests and replies in memory, but for the little that an ordinary request holds.
  private func accountForHeld() {
    let held = pipeline.heldByteCount
    guard connection.isOpen else { return }
    connection.applicationByteCount = held > Self.negligibleByteCount ? held : 0
  }

  private var callRate: CallRate { shard.settings.limits.calls }

  /// Charges what a query of the session's has cost.
  func charge(_ cost: QueryCost) {
    budget.charge(readerNanoseconds: cost.nanoseconds, at: shard.loop.now, rate: callRate)
  }

  /// Charges a command that costs more than others.
  func charge(_ command: Command) {
    budget.charge(calls: command.extraCalls, at: shard.loop.now, rate: callRate)
  }

  /// Charges a message that was refused, of several that a call sends.
  func chargeRefusal(_ error: ServiceError) {
    // The server's own failures are not the client's to pay for.
    guard error.code != .internalError else { return }
    budget.chargeRefusal(at: shard.loop.now, rate: callRate)
  }

  /// Charges a send that was only repeated, which is looked up like any other call.
  func chargeRepetition() {
    budget.charge(calls: 1, at: shard.loop.now, rate: callRate)
  }

  /// A refusal costs too: deep in debt the connection is not read until the debt is paid off.
  private func fallSilentIfIndebted() {
    guard budget.mayBeIndebted, silence == nil, connection.isOpen,
      let wait = budget.silence(at: shard.loop.now, rate: callRate)
    else { return }
    connection.pauseReading()
    silence = Silence(for: wait, on: shard.loop) { [unowned self] in
      silence = nil
      if !isFull { connection.resumeReading() }
    }
  }

  /// A reply waits for room: the answer to what a client asked does not make it a slow consumer.
  private func sendReplies() {
    while let reply = pipeline.takeReply(if: connection.hasRoom) {
      settleEvents()
      connection.send(reply: reply)
    }
  }

  /// Starts what may start, unless the client takes no answers.
  ///
  /// - Returns: Whether there may be replies.
  private func startCalls() -> Bool {
    var isAnswered = false
    while connection.isOpen, pipeline.replyByteCount <= Limits.answerByteCount,
      connection.hasRoom(for: pipeline.replyByteCount),
      let (ticket, request, limit) = pipeline.start()
    {
      shard.counters.add(to: .calls)
      if let error = refusal(of: request) {
        refuse(ticket, request.id, error)
        isAnswered = true
      } else if let limit {
        perform(
          request,
          ReplyAddress(
            session: reference, ticket: ticket, id: request.id,
            isPaid: request.concurrency != .besideItsLike, limit: limit - 128))
      } else {
        refuse(ticket, request.id, .batchTooLarge)
        isAnswered = true
      }
    }
    return isAnswered
  }

  private func refuse(
    _ ticket: Pipeline.Ticket, _ id: RPCIdentifier?, _ error: ServiceError
  ) {
    shard.counters.add(to: .refusedRate)
    pipeline.complete(ticket, reply: id.map { CallOutcome.failure(error).reply(to: $0) })
  }

  /// Calls other than `message.send` are limited by their number; a send only after many that were
  /// refused, or costly queries.
  private func refusal(of request: RPCRequest) -> ServiceError? {
    let rate = callRate
    let now = shard.loop.now
    let wait =
      switch request.concurrency {
      case .alone, .besideAll: budget.take(at: now, rate: rate)
      case .besideItsLike: budget.admitFree(at: now, rate: rate)
      }
    guard let wait else { return nil }
    return .rateLimited(
      retryAfter: wait, limit: rate.callsPerSecond, window: 1000, scope: "connection")
  }

  private func closeIfAnswered() {
    guard let pendingClose, pipeline.backlog == 0 else { return }
    self.pendingClose = nil
    close(pendingClose.code, reason: pendingClose.reason)
  }
}

extension Session: WebSocketApplication {
  func connection(_ connection: Connection, received message: WebSocketMessage) {
    guard pendingClose == nil else { return }
    switch message {
    case .binary: close(.unsupportedData, reason: "messages are text: JSON-RPC 2.0")
    case .text(let bytes):
      budget.charge(messageBytes: bytes.count, at: shard.loop.now, rate: callRate)
      receive(RPCInput(bytes), byteCount: bytes.count)
    }
  }

  private func receive(_ input: RPCInput, byteCount: Int) {
    switch input {
    case .malformed(let error): append(malformed: error, id: nil)
    case .single(.invalid(let id, let error)): append(malformed: error, id: id)
    case .single(.request(let request)):
      malformedCount = 0
      pipeline.append(
        request, request.concurrency, byteCount: max(byteCount, request.documentByteCount))
    case .batch(let calls): receive(batch: calls, byteCount: byteCount)
    }
    proceed()
    let isBehind =
      pipeline.backlog >= Self.backlogLimit || pipeline.requestByteCount > Self.requestLimit
    if isBehind, !isFull {
      isFull = true
      connection.pauseReading()
    }
  }

  private func receive(batch calls: [RPCCall], byteCount: Int) {
    malformedCount = 0
    var byteCount = byteCount
    let entries = calls.map { call -> Pipeline.Entry in
      switch call {
      case .request(let request):
        byteCount = max(byteCount, request.documentByteCount)
        return .call(request, request.concurrency, replyBound: request.replyBound)
      case .invalid(let id, let error): return refused(id, error)
      }
    }
    pipeline.append(batch: entries, byteCount: byteCount)
  }

  private func refused(_ id: RPCIdentifier?, _ error: ServiceError) -> Pipeline.Entry {
    budget.chargeRefusal(at: shard.loop.now, rate: callRate)
    return .reply(CallOutcome.failure(error).reply(to: id))
  }

  private func append(malformed error: ServiceError, id: RPCIdentifier?) {
    shard.counters.add(to: .refusedInvalid)
    budget.chargeRefusal(at: shard.loop.now, rate: callRate)
    pipeline.append(reply: CallOutcome.failure(error).reply(to: id))
    malformedCount += 1
    if malformedCount >= Self.malformedLimit {
      closeWhenAnswered(
        .policyViolation, reason: "\(Self.malformedLimit) malformed requests in a row")
    }
  }

  func connectionHasRoom(_ connection: Connection) {
    proceed()
  }

  func connectionIsBusy(_ connection: Connection) -> Bool { pipeline.backlog > 0 }

  func connectionPeerDidEnd(_ connection: Connection) {
    closeWhenAnswered(.normalClosure, reason: "")
  }

  func connectionDidClose(_ connection: Connection, _ reason: ClosingReason) {
    if let caller { leave(caller) }
    stopObserving()
    cancelFetches()
    withdraw()
    cancelTimer()
    silence?.end()
    silence = nil
    state = .closed
    if keepsContext { shard.contextCount -= 1 }
    shard.bases.release(base)
    shard.gauges.add(-1, to: .webSockets)
  }

  /// Takes the session out of everything that it is in.
  private func leave(_ caller: SessionPrincipal) {
    shard.gauges.add(-1, to: .sessions)
    let reference = reference
    let userID = caller.user.id
    for url in places.map(\.url) {
      unsubscribe(from: url)
      shard.sendToStage(of: url, .leave(reference, userID: userID))
    }
    shard.send(.user(id: userID, .remove(reference)))
  }
}
