import Channels
import Cluster
import ParleyProtocol

/// The calls of a shard's clients that a home has not answered.
///
/// A pure value: times are milliseconds of the shard's loop. Only the first answer to a call that
/// was sent more than once counts.
struct PendingCalls {
  /// A call as it was sent.
  struct Call {
    let address: AnswerAddress
    fileprivate(set) var message: ShardMessage
    let kind: CallKind
    /// The server that has the call; `nil` for this one, which always answers while it is in the
    /// cluster, unless it has passed the call on.
    var server: ServerID?
    /// The position among all calls of the shard.
    let number: UInt64
    fileprivate(set) var deadline: Int64
    /// How often the call was sent; 0 while it waits for earlier calls.
    var attemptCount = 0
    var sentAt: Int64
    /// The position among everything that the shard has sent.
    fileprivate(set) var transmission: UInt64
    /// When the call is to be sent again; `nil` while an answer is awaited.
    var repetition: Int64?
  }

  /// The way in which an answer is handled.
  enum Verdict: Equatable {
    case deliver
    /// Deliver the answer, unless it is a failure for a reason that may pass: the send may be carried
    /// out, or have been. See ``CallOutcome/ofRepeatedSend``.
    case doubt
    /// Another answer came first, or the caller was informed that the outcome is unknown.
    case drop
    /// The call will be sent again.
    case wait
  }

  /// The first pause before a call is sent to a home that has moved, in milliseconds; each further one
  /// is twice as long.
  private static let pause: Int64 = 50
  /// Milliseconds that this server may still take for a call after it has left the cluster: the
  /// call may be waiting for a database, or another server, that no longer answers.
  private static let lastTime: Int64 = 1_000

  /// Milliseconds that a call may take.
  private let timeout: Int64
  /// Whether the time of all calls has ended.
  private var isOver = false
  private var calls: [CallKey: Call] = [:]
  private var lastNumber: UInt64 = 0
  private var lastTransmission: UInt64 = 0
  /// Ended calls for which another answer may arrive, with the time until which it may.
  private var ended: [CallKey: Int64] = [:]
  /// The time until which the calls of a channel wait, so that they keep their order.
  private var pauses: [String: Int64] = [:]
  private var slowLanes = SlowLanes()

  /// - Parameter timeout: Milliseconds that a call may take.
  init(timeout: Int64) {
    self.timeout = timeout
  }

  var isEmpty: Bool { calls.isEmpty && ended.isEmpty }
  var count: Int { calls.count }
  /// Whether sends that have waited for earlier ones may proceed.
  var mayGoOn: Bool { slowLanes.mayGoOn }

  /// Keeps a call that is about to be sent, or is passed on to its next server.
  ///
  /// - Returns: Whether to send the call now; otherwise it waits for earlier calls.
  mutating func begin(
    _ message: ShardMessage, _ address: AnswerAddress, to server: ServerID?, at now: Int64
  ) -> Bool {
    guard calls[address.key] == nil else {
      calls[address.key]?.server = server
      return true
    }
    lastNumber += 1
    lastTransmission += 1
    ended[address.key] = nil
    var call = Call(
      address: address, message: message, kind: message.callKind, server: server,
      number: lastNumber, deadline: now + time(on: server), sentAt: now,
      transmission: lastTransmission)
    if !pauses.isEmpty, let url = message.channelURL, let end = pauses[url], end > now {
      call.repetition = end
      slowDown(call)
    } else if slowLanes.lane(of: call) != nil {
      call.repetition = now
    }
    let isSent = call.repetition == nil
    if isSent { call.attemptCount = 1 }
    calls[address.key] = call
    return isSent
  }

  /// The channel that a call is about.
  func channelURL(of address: AnswerAddress) -> String? { calls[address.key]?.message.channelURL }

  /// Handles an answer of a home.
  mutating func end(_ address: AnswerAddress, at now: Int64) -> Verdict {
    let key = address.key
    guard let call = calls.removeValue(forKey: key) else {
      return ended[key] == nil ? .deliver : .drop
    }
    slowLanes.didAnswer(call)
    guard call.attemptCount > 1 else { return .deliver }
    ended[key] = now + timeout
    return call.kind == .send ? .doubt : .deliver
  }

  /// Handles a refusal by a server that is not the home, or does not know the caller: the call is
  /// sent again after a pause, until its deadline.
  mutating func postpone(_ address: AnswerAddress, at now: Int64) -> Verdict {
    let key = address.key
    guard let call = calls[key] else { return .drop }
    guard now < call.deadline else {
      give(up: key, at: now)
      // Servers may have passed the call on to a home that was lost.
      return call.kind == .send ? .doubt : .deliver
    }
    slowDown(call)
    let next = now + min(Self.pause << min(Int64(call.attemptCount - 1), 4), 1000)
    if let url = call.message.channelURL { pauses[url] = max(pauses[url] ?? 0, next) }
    calls[key]?.repetition = next
    return .wait
  }

  /// Slows down the sends to channels whose homes have changed, while others are on the old route.
  mutating func homesDidChange(where isChanged: (_ channelURL: String) -> Bool) {
    for call in calls.values where call.lane.map({ isChanged($0.channelURL) }) ?? false {
      slowDown(call)
    }
  }

  private mutating func slowDown(_ call: Call) {
    if let lane = call.lane { slowLanes.add(lane, after: lastTransmission) }
  }

  /// Removes the calls whose answers can no longer arrive.
  ///
  /// Calls that may be repeated become due to be sent again at once.
  ///
  /// - Parameter isLost: Decides from a call and the server that has it.
  /// - Returns: The calls that may have been carried out.
  mutating func lose(at now: Int64, where isLost: (Call) -> Bool) -> [Call] {
    var failed: [Call] = []
    for (key, call) in calls where call.repetition == nil && isLost(call) {
      slowDown(call)
      switch call.kind {
      case .repeatable, .send: calls[key]?.repetition = now
      case .change:
        failed.append(call)
        give(up: key, at: now)
      }
    }
    return failed.sorted { $0.number < $1.number }
  }

  /// Repeats requests to enter that have waited for a part of their time: they pass through two
  /// homes, and losses between these are not reported.
  mutating func renewEntries(at now: Int64) {
    for (key, call) in calls where call.repetition == nil && call.sentAt + timeout / 4 <= now {
      guard case .user(_, .enter) = call.message else { continue }
      calls[key]?.repetition = now
    }
  }

  /// Takes the calls that are due to be sent again, in order; ``resume(_:as:to:at:)`` or
  /// ``forget(_:at:)`` must follow for each.
  mutating func takeRepetitions(at now: Int64) -> [Call] {
    pauses = pauses.filter { $0.value > now }
    let due = slowLanes.takeDue(of: calls.values, at: now)
    for call in due { calls[call.address.key]?.repetition = nil }
    return due
  }

  /// Notes that a call is sent again.
  mutating func resume(
    _ call: Call, as message: ShardMessage, to server: ServerID?, at now: Int64
  ) {
    let key = call.address.key
    calls[key]?.message = message
    calls[key]?.server = server
    calls[key]?.sentAt = now
    lastTransmission += 1
    calls[key]?.transmission = lastTransmission
    calls[key]?.attemptCount += 1
  }

  /// Removes the calls that another server has not answered in time, or this one in twice that
  /// time, as it may have passed them on.
  mutating func takeExpired(at now: Int64) -> [Call] {
    ended = ended.filter { $0.value > now }
    let expired = calls.values.filter { call in
      let isElsewhere = call.server != nil || call.repetition != nil
      return call.deadline + (isElsewhere || isOver ? 0 : timeout) <= now
    }
    for call in expired { give(up: call.address.key, at: now) }
    return expired.sorted { $0.number < $1.number }
  }

  /// Ends the time of all calls, including later ones; calls that this server has get a moment
  /// more.
  mutating func end(at now: Int64) {
    isOver = true
    for (key, call) in calls {
      let deadline = now + time(on: call.server)
      calls[key]?.deadline = deadline
    }
  }

  /// Milliseconds that a call may take.
  private func time(on server: ServerID?) -> Int64 {
    guard isOver else { return timeout }
    return server == nil ? Self.lastTime : 0
  }

  /// Removes a call whose caller is gone.
  mutating func forget(_ call: Call, at now: Int64) { give(up: call.address.key, at: now) }

  /// The sends of sessions to a channel, in order.
  func awaitedSends(toChannel url: String) -> [AwaitedSend] {
    calls.values.sorted { $0.number < $1.number }.compactMap { call in
      guard case .channel(url, .command(.send(let order), let principal, _)) = call.message
      else { return nil }
      guard case .success(let draft) = order.draft else { return nil }
      return AwaitedSend(
        session: principal.session, userID: principal.user.id, requestID: order.requestID ?? "",
        text: draft.text)
    }
  }

  /// Whether calls wait to be sent again.
  var hasRepetitions: Bool { calls.values.contains { $0.repetition != nil } }

  private mutating func give(up key: CallKey, at now: Int64) {
    if let call = calls.removeValue(forKey: key) { slowLanes.didGiveUp(call) }
    ended[key] = now + timeout
  }
}

extension ShardMessage {
  /// The channel that the message is about.
  fileprivate var channelURL: String? {
    switch self {
    case .channel(let url, _): url
    case .user(_, .enter(_, let url)): url
    case .stage, .user, .session, .exchange, .shard: nil
    }
  }
}
