import Channels
import Cluster
import ParleyProtocol
import ShardMessages

/// The calls of a shard's clients that a home has not answered.
///
/// A pure value: times are milliseconds of the shard's loop. Of a call that was sent more than once only
/// the first answer counts.
struct PendingCalls {
  /// A call as it was sent.
  struct Call {
    let address: AnswerAddress
    fileprivate(set) var message: ShardMessage
    let kind: CallKind
    /// The server that has the call; `nil` for this one, which answers without fail while it is in the
    /// cluster, unless it has passed the call on.
    var server: ServerID?
    /// The place among all calls of the shard.
    let number: UInt64
    fileprivate(set) var deadline: Int64
    /// The times that it was sent; 0 while it waits for others before it.
    var attemptCount = 0
    var sentAt: Int64
    /// The place among all that the shard has sent.
    fileprivate(set) var transmission: UInt64
    /// When the call is to be sent again; `nil` while an answer is awaited.
    var repetition: Int64?
  }

  /// The use of an answer.
  enum Verdict: Equatable {
    case deliver
    /// Deliver it, unless it says that a server has failed: the send may have been carried out before.
    case doubt
    /// Another answer came before, or the caller knows that the outcome is unknown.
    case drop
    /// The call will be sent again.
    case wait
  }

  /// The first pause before a call is sent to a home that has moved, in milliseconds; each further one
  /// is twice as long.
  private static let pause: Int64 = 50
  /// Milliseconds that this server may still take for a call when the cluster goes on without it: what a
  /// call waits for here may be a database, or another server, that does not answer it any more.
  private static let lastTime: Int64 = 1_000

  /// Milliseconds that a call may take.
  private let timeout: Int64
  /// Whether the time of all calls is over.
  private var isOver = false
  private var calls: [CallKey: Call] = [:]
  private var lastNumber: UInt64 = 0
  private var lastTransmission: UInt64 = 0
  /// Calls that are over though another answer may come, with the time until which that is so.
  private var ended: [CallKey: Int64] = [:]
  /// Until when the calls of a channel wait, so that they keep their order.
  private var pauses: [String: Int64] = [:]
  private var slowLanes = SlowLanes()

  /// - Parameter timeout: Milliseconds that a call may take.
  init(timeout: Int64) {
    self.timeout = timeout
  }

  var isEmpty: Bool { calls.isEmpty && ended.isEmpty }
  var count: Int { calls.count }
  /// Whether sends may go on that have waited for others before them.
  var mayGoOn: Bool { slowLanes.mayGoOn }

  /// Keeps a call that is about to be sent, or that goes on to its next server.
  ///
  /// - Returns: Whether to send the call now; else it waits for those before it.
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

  /// Takes an answer of a home.
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

  /// Takes a refusal of a server that is not the home, or does not know the caller: the call is sent
  /// again after a pause, while its time lasts.
  mutating func postpone(_ address: AnswerAddress, at now: Int64) -> Verdict {
    let key = address.key
    guard let call = calls[key] else { return .drop }
    guard now < call.deadline else {
      give(up: key, at: now)
      // Servers may have passed it on to a home that was lost.
      return call.kind == .send ? .doubt : .deliver
    }
    slowDown(call)
    let next = now + min(Self.pause << min(Int64(call.attemptCount - 1), 4), 1000)
    if let url = call.message.channelURL { pauses[url] = max(pauses[url] ?? 0, next) }
    calls[key]?.repetition = next
    return .wait
  }

  /// Slows down the sends to channels whose homes have changed, while others are on their old way.
  mutating func homesDidChange(where isChanged: (_ channelURL: String) -> Bool) {
    for call in calls.values where call.lane.map({ isChanged($0.channelURL) }) ?? false {
      slowDown(call)
    }
  }

  private mutating func slowDown(_ call: Call) {
    if let lane = call.lane { slowLanes.add(lane, after: lastTransmission) }
  }

  /// Takes out the calls whose answer can't come any more.
  ///
  /// Calls that may be repeated are to be sent again at once.
  ///
  /// - Parameter isLost: Decides by the server that has a call and the call itself.
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

  /// Has requests to enter sent again that have waited for a part of their time: they take their way
  /// over two homes, and what is lost between these nobody reports.
  mutating func renewEntries(at now: Int64) {
    for (key, call) in calls where call.repetition == nil && call.sentAt + timeout / 4 <= now {
      guard case .user(_, .enter) = call.message else { continue }
      calls[key]?.repetition = now
    }
  }

  /// The calls that are to be sent again now, in their order; ``resume(_:as:to:at:)`` or
  /// ``forget(_:at:)`` follows for each.
  mutating func takeRepetitions(at now: Int64) -> [Call] {
    pauses = pauses.filter { $0.value > now }
    let due = slowLanes.takeDue(of: calls.values, at: now)
    for call in due { calls[call.address.key]?.repetition = nil }
    return due
  }

  /// Takes note of a call that is sent again.
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

  /// Takes out the calls that another server has not answered in time, or this one in twice that time: it
  /// may have passed them on.
  mutating func takeExpired(at now: Int64) -> [Call] {
    ended = ended.filter { $0.value > now }
    let expired = calls.values.filter { call in
      let isElsewhere = call.server != nil || call.repetition != nil
      return call.deadline + (isElsewhere || isOver ? 0 : timeout) <= now
    }
    for call in expired { give(up: call.address.key, at: now) }
    return expired.sorted { $0.number < $1.number }
  }

  /// Lets the time of all calls be over, and of those that begin later too; those that this server has
  /// get a moment more.
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

  /// Takes out a call whose caller is gone.
  mutating func forget(_ call: Call, at now: Int64) { give(up: call.address.key, at: now) }

  /// The sends of sessions to a channel, in their order.
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
