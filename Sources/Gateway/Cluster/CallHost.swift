import Channels
import Cluster
import ParleyProtocol
import Reactor

/// The host of the calls that wait for homes on other servers: sends calls, resends lost calls, and
/// answers the callers when no home does.
///
/// Confined to its shard.
final class CallHost: TimerHandler {
  /// How often calls are checked, in milliseconds: while some wait to be repeated, and otherwise.
  private static let shortStep: Int64 = 50
  private static let longStep: Int64 = 500

  private unowned let shard: Shard
  private let routes: ShardRoutes
  private let figures: RelayCounts
  /// The calls of the shard's clients.
  private var calls: PendingCalls
  /// The calls that arrived here and were passed on to other homes.
  private var passed: PassedCalls
  /// The servers that are silent.
  private var silent: Set<ServerID> = []
  private var lastName: UInt64 = 0
  private var timer: (token: EventLoop.TimerToken, time: Int64)?
  private var step = CallHost.longStep

  init(_ routes: ShardRoutes, _ figures: RelayCounts, shard: Shard, timeout: Int64) {
    self.routes = routes
    self.figures = figures
    self.shard = shard
    calls = PendingCalls(timeout: timeout)
    passed = PassedCalls(timeout: timeout)
  }

  // MARK: Sending

  /// Sends a message to its receiver, and keeps the message if it is a call.
  func send(_ message: ShardMessage) {
    let residence = routes.residence(of: message)
    guard let address = message.callAddress, address.shard == shard.handle.address else {
      return routes.transmit(message, residence)
    }
    let call = named(message, residence)
    if calls.begin(call, address, to: residence.server, at: shard.loop.now) {
      routes.transmit(call, residence)
    }
    schedule(after: step)
  }

  /// Passes on a message whose home has moved since the message was sent here.
  ///
  /// - Returns: Whether the receiver is elsewhere now.
  func passOn(_ message: ShardMessage) -> Bool {
    guard !message.isForAddresseeAlone else { return false }
    let residence = routes.residence(of: message)
    guard residence != .here else { return false }
    figures.add(to: .passedOn)
    if let server = residence.server { passed.note(message, to: server, at: shard.loop.now) }
    routes.transmit(message, residence)
    return true
  }

  /// Names a send to another server, so that the send can be repeated.
  private func named(_ message: ShardMessage, _ residence: ShardSet.Residence) -> ShardMessage {
    guard residence != .here else { return message }
    return message.named {
      lastName += 1
      let server = routes.local.id
      return MessageOrigin.name(server: server.rawValue, shard: shard.handle.index, call: lastName)
    }
  }

  // MARK: Answers

  /// Returns the answer for the caller; `nil` when this outcome is not passed to it.
  func accept(_ outcome: CallOutcome, _ address: AnswerAddress) -> CallOutcome? {
    let isRepeated = outcome.isMoved || isPremature(outcome, address)
    let now = shard.loop.now
    let verdict = isRepeated ? calls.postpone(address, at: now) : calls.end(address, at: now)
    if calls.mayGoOn { schedule(after: 0) }
    switch verdict {
    case .deliver: return outcome.isMoved ? .failure(.homeIsMissing) : outcome
    case .doubt: return outcome.ofRepeatedSend
    case .drop: return nil
    case .wait:
      schedule(after: Self.shortStep)
      return nil
    }
  }

  /// Whether a home does not know yet that the caller's connection is in the channel, because this
  /// server's stage has not attached there yet.
  ///
  /// A connection that was removed from the channel is notified before the answer arrives.
  private func isPremature(_ outcome: CallOutcome, _ address: AnswerAddress) -> Bool {
    guard case .failure(let error) = outcome, error.code == .notInChannel,
      case .session(let reply) = address, let url = calls.channelURL(of: address)
    else { return false }
    return shard.session(reply.session)?.isIn(url) ?? false
  }

  /// The sends of sessions to a channel that await their answers.
  func awaitedSends(toChannel url: String) -> [AwaitedSend] { calls.awaitedSends(toChannel: url) }

  // MARK: Losses

  /// Resends calls that were lost with servers no longer in the ring, or whose homes have changed.
  func ringDidChange(from old: ServerRing) {
    let ring = routes.ring
    calls.homesDidChange { old.home(ofChannel: $0).id != ring.home(ofChannel: $0).id }
    lose { call in
      if let server = call.server, isLost(server) { return true }
      guard case .user(let id, _) = call.message else { return false }
      return old.home(ofUser: id).id != ring.home(ofUser: id).id
    }
    answerPassed(where: isLost)
  }

  /// Replaces the set of servers that are silent.
  func silenceDidChange(_ servers: Set<ServerID>) {
    silent = servers
    guard !servers.isEmpty else { return }
    lose { $0.server.map(isLost) ?? false }
    answerPassed(where: isLost)
  }

  /// Whether a server is gone, or is silent and no longer a home.
  func isLost(_ server: ServerID) -> Bool {
    routes.ring.hasLost(server, silent: silent)
  }

  /// Resends calls that were lost on the way to a server or from it.
  func linkWasReset(with server: ServerID) {
    lose { $0.server == server }
    answerPassed { $0 == server }
  }

  /// Answers all calls to other servers, now and from now on, because those servers consider this
  /// one dead and do not answer it.
  func leave() {
    step = Self.shortStep
    calls.end(at: shard.loop.now)
    lookAtCalls()
  }

  private func lose(where isLost: (PendingCalls.Call) -> Bool) {
    let now = shard.loop.now
    for call in calls.lose(at: now, where: isLost) { fail(call) }
    repeatCalls(at: now)
  }

  /// Answers the calls that were passed on to lost servers.
  private func answerPassed(where isLost: (ServerID) -> Bool) {
    for answer in passed.lose(at: shard.loop.now, where: isLost) { routes.transmit(answer) }
  }

  // MARK: Time

  func timerDidFire(_ token: EventLoop.TimerToken) {
    timer = nil
    lookAtCalls()
  }

  /// Repeats the calls that are due, and answers the callers that have waited too long.
  func lookAtCalls() {
    let now = shard.loop.now
    for call in calls.takeExpired(at: now) { fail(call) }
    calls.renewEntries(at: now)
    repeatCalls(at: now)
    guard !calls.isEmpty else { return }
    schedule(after: calls.hasRepetitions ? Self.shortStep : Self.longStep)
  }

  private func repeatCalls(at now: Int64) {
    for call in calls.takeRepetitions(at: now) {
      guard isWaiting(call.address) else {
        calls.forget(call, at: now)
        continue
      }
      figures.add(to: .repeated)
      let residence = routes.residence(of: call.message)
      let message = named(call.message, residence)
      calls.resume(call, as: message, to: residence.server, at: now)
      routes.transmit(message, residence)
    }
  }

  private func isWaiting(_ address: AnswerAddress) -> Bool {
    switch address {
    case .session(let address): shard.session(address.session) != nil
    case .opening(let session): shard.session(session) != nil
    case .exchange: true
    }
  }

  /// Answers a call that no home has answered.
  private func fail(_ call: PendingCalls.Call) {
    figures.add(to: .unanswered)
    let error: ServiceError =
      switch call.kind {
      case .repeatable: .homeIsMissing
      case .send, .change: .outcomeIsUnknown
      }
    switch call.address {
    case .session(let address):
      if case .user(let id, .enter(_, let url)) = call.message {
        shard.leave(url, address.session, userID: id)
      }
      shard.session(address.session)?.complete(address, .failure(error))
    case .exchange(let address): shard.respond(.failure(error), to: address)
    case .opening(let session): shard.session(session)?.cannotOpen(error)
    }
  }

  private func schedule(after delay: Int64) {
    let time = shard.loop.now + delay
    if let timer {
      guard time < timer.time else { return }
      shard.loop.cancel(timer.token)
    }
    timer = (shard.loop.schedule(after: delay, self), time)
  }
}

extension CallOutcome {
  /// Whether a call was refused because its channel has another home.
  var isMoved: Bool {
    if case .failure(let error) = self { error.isMoved } else { false }
  }

  /// The outcome of a send that was sent more than once, for its caller.
  ///
  /// Another copy may be on its way to a server that was the channel's home, and is so again when it
  /// arrives. A failure for a reason that may pass by then leaves it unknown whether that copy is
  /// carried out.
  var ofRepeatedSend: CallOutcome {
    guard case .failure(let error) = self, error.mayPass else { return self }
    return .failure(.outcomeIsUnknown)
  }
}

extension ServiceError {
  private static let passing: [ErrorCode] = [
    .internalError, .rateLimited, .flood, .frozen, .muted, .banned, .notInChannel,
  ]

  /// Whether the same call may succeed later.
  fileprivate var mayPass: Bool { Self.passing.contains(code) }

  /// The home of a channel or user did not answer; nothing was changed.
  static let homeIsMissing = ServiceError(
    .internalError,
    "the server that this channel or user is at home on does not answer: try again in a moment")

  /// The home of a channel did not answer, and may have carried the call out.
  static let outcomeIsUnknown = ServiceError(
    .internalError,
    "the server that this channel is at home on does not answer: the change may have been made",
    data: ErrorDetails(outcome: "unknown"))
}
