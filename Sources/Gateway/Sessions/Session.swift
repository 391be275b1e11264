import Channels
import Configuration
import FloodControl
import ParleyProtocol
import Reactor
import Telemetry
import Transport
import HTTP

/// The authenticated client on a connection.
///
/// Reads requests, has them executed at the home of their channel or user, and answers in order.
///
///     awaitingOpen ──► opening ──► open ──► closed
///
/// Confined to its connection's shard.
final class Session {
  typealias Pipeline = RequestPipeline<RPCRequest>

  enum State {
    /// Only `session.open` is accepted.
    case awaitingOpen
    /// The app's back end is asked for the user.
    indirect case asking(SessionOpen, ReplyAddress)
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
    /// The token that keeps the session open; `session.refresh` may replace it.
    var proof: TokenProof
    /// The number of the last ``Eviction`` before that token was checked.
    var lastEviction: Int64
    /// The expiry of the session's last file key, in Unix milliseconds; `nil` without a key.
    var fileKeyExpiry: Int64?
  }

  /// A pending close.
  ///
  /// An object, so that sessions without one use only one word for it.
  private final class PendingClose {
    let code: CloseCode
    let reason: String

    init(_ code: CloseCode, _ reason: String) {
      self.code = code
      self.reason = reason
    }
  }

  /// The number of unanswered requests, plus the number of calls in them, above which the connection is
  /// not read.
  private static let backlogLimit = 128
  /// Requests and replies of up to this many bytes are not accounted for.
  private static let negligibleByteCount = 2_048
  /// The memory of unanswered requests, in bytes, above which the connection is not read.
  private static let requestLimit = 524_288
  /// The connection is closed after this many malformed requests in a row.
  private static let malformedLimit = 10

  unowned let shard: Shard
  unowned let connection: Connection
  let reference: SessionAddress
  var state = State.awaitingOpen
  // These flags use space that the state leaves free.
  private var malformedCount: UInt8 = 0
  /// Whether the connection is not read because too much is unanswered.
  private var isFull = false
  private let keepsContext: Bool
  /// Whether the session receives the events of groups.
  var hearsGroups = true
  private var watchesTotals = false
  /// Whether the user gets pushes in spite of the session.
  var isInBackground = false
  /// The address base named by the upgrade request; see ``NamedBases``.
  let base: UInt16
  var places = SessionPlaces()
  /// The sends that are not answered; created with the first send.
  var sends: SessionSends?
  var timer: EventLoop.TimerToken?
  var deadline = Deadline.open
  /// The last evictions, by the kind of void token, while a token is being looked up.
  var evictions: [TokenProof: Int64] = [:]
  private var pipeline = Pipeline()
  private var budget = CallBudget()
  /// The wait until the caller is out of debt, during which the connection is not read.
  private var silence: Silence?
  /// The running calls that send several files.
  var fileSends: [FileSends] = []
  /// The channels of sends that other calls pass, because the sends may wait.
  var passedSends: [CallTicket: String] = [:]
  /// The previews that are being fetched for the client; created with the first fetch.
  var fetches: PreviewFetches?
  /// A close that is pending until all accepted requests are answered.
  private var pendingClose: PendingClose?

  /// - Parameter keepsContext: Whether the client may compress with its earlier messages.
  init(connection: Connection, shard: Shard, keepsContext: Bool, base: UInt16 = 0) {
    self.keepsContext = keepsContext
    self.base = base
    self.connection = connection
    self.shard = shard
    reference = SessionAddress(on: shard.handle.address, connection: connection.id)
    setTimer(.open, after: shard.settings.limits.openTimeoutMilliseconds)
  }

  /// The numbers over all groups, while the client watches them.
  ///
  /// The shard keeps them, so that sessions without them use no word for them.
  var totals: TotalsWatch? {
    get { watchesTotals ? shard.totalsWatches[reference] : nil }
    set {
      shard.totalsWatches[reference] = newValue
      watchesTotals = newValue != nil
    }
  }

  /// The principal of the session's calls, once the session is open.
  var caller: SessionPrincipal? {
    guard case .open(let identity) = state else { return nil }
    let hookSessions = shard.hookSessions
    return SessionPrincipal(
      user: identity.user, session: reference,
      hookSession: hookSessions.isEmpty ? nil : hookSessions[reference])
  }

  /// Sends an event, unless the session is closed.
  func send(_ event: [UInt8]) {
    connection.send(text: event)
    totals?.note(event)
    if case .observing = state { return }
    shard.counters.add(to: .deliveries)
  }

  /// The connection's place in a channel's feed; `nil` when it is not in the channel.
  func subscription(to url: String) -> (Subscription, FrameEncoding)? {
    places[url].map { ($0, connection.encoding) }
  }

  /// Closes the connection at once.
  func close(_ code: CloseCode, reason: String) {
    connection.close(code, reason: reason)
  }

  /// Closes the connection as soon as all requests are answered.
  func closeWhenAnswered(_ code: CloseCode, reason: String) {
    pendingClose = PendingClose(code, reason)
    cancelFetches()
    closeIfAnswered()
  }

  /// Completes a call with its outcome.
  func complete(_ address: ReplyAddress, _ outcome: CallOutcome) {
    sends?.end(address.ticket, outcome)
    totals?.didComplete(address.ticket)
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

  /// The size limit of the reply to a running call, in bytes; smaller when other calls have passed it.
  func replyLimit(of address: ReplyAddress) -> Int { pipeline.replyLimit(of: address.ticket) }

  /// Lets later calls pass a send that its channel may keep for a while.
  func pass(_ address: ReplyAddress, in url: String) {
    guard pipeline.pass(address.ticket) else { return }
    passedSends[address.ticket] = url
    proceed()
  }

  /// Lets later calls pass a call that waits for its time.
  func pass(_ ticket: CallTicket) {
    if pipeline.pass(ticket) { proceed() }
  }

  /// Lets later calls pass a send that is being started, after which the next calls are started anyway.
  func passAsItStarts(_ address: ReplyAddress, in url: String) {
    if pipeline.pass(address.ticket) { passedSends[address.ticket] = url }
  }

  /// Lets later calls pass a send to a channel that keeps an earlier one.
  func passIfBehindAnother(_ address: ReplyAddress, in url: String) {
    if isSendKept(by: url) { passAsItStarts(address, in: url) }
  }

  /// Whether a channel keeps a send, after which other sends of the connection wait there.
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

  /// Accounts for the memory of requests and replies, except for the little of an ordinary request.
  private func accountForHeld() {
    let held = pipeline.heldByteCount
    guard connection.isOpen else { return }
    connection.applicationByteCount = held > Self.negligibleByteCount ? held : 0
  }

  private var callRate: CallRate { shard.settings.limits.calls }

  /// Charges the session for the cost of a query.
  func charge(_ cost: QueryCost) {
    budget.charge(readerNanoseconds: cost.nanoseconds, at: shard.loop.now, rate: callRate)
  }

  /// Charges for calls beyond those that were made: a command may cost more than others, and a repeated
  /// send is looked up like any other call.
  func charge(calls: Int) {
    budget.charge(calls: calls, at: shard.loop.now, rate: callRate)
  }

  /// Pays for the parts of a call beyond the first, each of which costs as much as a call.
  ///
  /// - Throws: 500910; then nothing is charged.
  func pay(forFurther parts: Int) throws(ServiceError) {
    let rate = callRate
    guard let wait = budget.take(further: parts, at: shard.loop.now, rate: rate) else { return }
    throw .rateLimited(
      retryAfter: wait, limit: rate.callsPerSecond, window: 1000, scope: "connection")
  }

  /// Charges for a repeated send, which was counted when it was sent first.
  func chargeRepetition(_ ticket: CallTicket) {
    sends?.giveBack(ticket)
    charge(calls: 1)
  }

  /// Charges one refused message of a call that sends several.
  func chargeRefusal(_ error: ServiceError) {
    // The client does not pay for failures of the server.
    guard error.code != .internalError else { return }
    budget.chargeRefusal(at: shard.loop.now, rate: callRate)
  }

  /// Stops reading a connection that is deep in debt until the debt is paid off.
  ///
  /// Refusals cost too.
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

  /// Sends replies while there is room.
  ///
  /// A waiting reply does not make the client a slow consumer.
  private func sendReplies() {
    while let reply = pipeline.takeReply(if: connection.hasRoom) {
      settleEvents()
      connection.send(reply: reply)
    }
  }

  /// Starts the calls that may start, unless the client does not read its answers.
  ///
  /// - Returns: Whether there may be replies.
  private func startCalls() -> Bool {
    // Each use of an unowned reference is checked.
    let (shard, connection) = (shard, connection)
    var isAnswered = false
    while connection.isOpen, pipeline.replyByteCount <= Limits.answerByteCount,
      connection.hasRoom(for: pipeline.replyByteCount),
      let (ticket, request, concurrency, limit) = pipeline.start()
    {
      shard.counters.add(to: .calls)
      if let error = refusal(ofCall: concurrency) {
        refuse(ticket, request.id, error)
        isAnswered = true
      } else if let limit {
        perform(
          request,
          ReplyAddress(
            session: reference, ticket: ticket, id: request.id,
            isPaid: concurrency != .besideItsLike, limit: limit - 128))
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

  /// Limits calls other than `message.send` by number, and sends only after many refused ones or costly
  /// queries.
  private func refusal(ofCall concurrency: Pipeline.Concurrency) -> ServiceError? {
    let rate = callRate
    let now = shard.loop.now
    let wait =
      switch concurrency {
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

  /// Receives a message for which the client awaits a receipt, apart from its replies.
  ///
  /// - Returns: The error of a text that is no request; it is not sent as a reply.
  func receive(posted bytes: [UInt8]) -> ServiceError? {
    guard pendingClose == nil else { return nil }
    budget.charge(messageBytes: bytes.count, at: shard.loop.now, rate: callRate)
    let input = RPCInput(bytes)
    switch input {
    case .malformed(let error), .single(.invalid(nil, let error)):
      noteMalformed()
      return error
    case .single, .batch:
      receive(input, byteCount: bytes.count)
      return nil
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
    pipeline.append(reply: CallOutcome.failure(error).reply(to: id))
    noteMalformed()
  }

  private func noteMalformed() {
    shard.counters.add(to: .refusedInvalid)
    budget.chargeRefusal(at: shard.loop.now, rate: callRate)
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
    endTotals()
    if let caller { leave(caller, lostSince: lastSignOfLife(reason)) }
    stopObserving()
    cancelFetches()
    withdraw()
    cancelTimer()
    silence?.end()
    silence = nil
    sends = nil
    state = .closed
    if keepsContext { shard.contextCount -= 1 }
    shard.bases.release(base)
    shard.gauges.add(-1, to: .webSockets)
  }

  /// Removes the session from its channels and from its user's home.
  private func leave(_ caller: SessionPrincipal, lostSince: Int64?) {
    shard.gauges.add(-1, to: .sessions)
    forgetForHooks()
    let urls = places.urls
    for url in urls { unsubscribe(from: url) }
    shard.leaveStages(of: urls[...], reference, userID: caller.user.id)
    shard.send(.user(id: caller.user.id, .remove(reference, lostSince: lostSince)))
    shard.unseat(Seat(userID: caller.user.id, session: reference))
  }
}
