import Channels
import Cluster
import ParleyProtocol
import Reactor
import ShardMessages

/// The part of a shard that knows the other servers of a cluster.
///
/// Sends messages to the homes of channels and users wherever they are, and keeps the calls of the
/// shard's clients until they are answered. The shard keeps to one view of the ring until it has worked
/// on the next: so each home learns of a session, and of its end, in order. Confined to its shard.
final class ShardEdge: TimerHandler {
  /// How often calls are looked at, in milliseconds: while some wait to be repeated, and otherwise.
  private static let shortStep: Int64 = 50
  private static let longStep: Int64 = 500

  private unowned let shard: Shard
  private let network: any ClusterNetwork
  private let figures: RelayCounts
  private(set) var ring: ServerRing
  private var calls: PendingCalls
  private var passed: PassedCalls
  private var lastName: UInt64 = 0
  private var timer: (token: EventLoop.TimerToken, time: Int64)?
  /// Whether the other servers have heard of this shard's stages.
  private var hasBegun = false
  /// Whether the cluster goes on without this server.
  private var hasLeft = false
  private var hasEnqueued = false
  /// The resets of links that this shard has learned of.
  private var resetCounts: [ServerID: Int] = [:]

  init(_ network: any ClusterNetwork, _ figures: RelayCounts, shard: Shard, timeout: Int64) {
    self.shard = shard
    self.network = network
    self.figures = figures
    ring = network.ring
    calls = PendingCalls(timeout: timeout)
    passed = PassedCalls(timeout: timeout)
  }

  /// Sends a message to its receiver, and keeps the call that it may be.
  func send(_ message: ShardMessage) {
    let residence = residence(of: message)
    guard let address = message.callAddress, address.shard == shard.handle.address else {
      return transmit(message, residence)
    }
    let call = named(message, residence)
    if calls.begin(call, address, to: residence.server, at: shard.loop.now) {
      transmit(call, residence)
    }
    schedule(after: hasLeft ? Self.shortStep : Self.longStep)
  }

  /// Has what the turn sends to other servers leave.
  func flush() {
    guard hasEnqueued else { return }
    hasEnqueued = false
    network.flush()
  }

  /// Sends a message to the home that it has got since it was sent here.
  ///
  /// - Returns: Whether the receiver is elsewhere now.
  func passOn(_ message: ShardMessage) -> Bool {
    guard !message.isForAddresseeAlone else { return false }
    let residence = residence(of: message)
    guard residence != .here else { return false }
    figures.add(to: .passedOn)
    if let server = residence.server { passed.note(message, to: server, at: shard.loop.now) }
    transmit(message, residence)
    return true
  }

  /// The answer that a caller is given; `nil` when this one is not for it.
  func accept(_ outcome: CallOutcome, _ address: AnswerAddress) -> CallOutcome? {
    let isRepeated = outcome.isMoved || isPremature(outcome, address)
    let now = shard.loop.now
    let verdict = isRepeated ? calls.postpone(address, at: now) : calls.end(address, at: now)
    if calls.mayGoOn { schedule(after: 0) }
    switch verdict {
    case .deliver: return outcome.isMoved ? .failure(.homeIsMissing) : outcome
    case .doubt: return outcome.isFailureOfServer ? .failure(.outcomeIsUnknown) : outcome
    case .drop: return nil
    case .wait:
      schedule(after: Self.shortStep)
      return nil
    }
  }

  /// Whether a home does not know yet that the caller's connection is in the channel: the stage of
  /// this server is about to attach there.
  ///
  /// A connection that was put out of the channel knows that before the answer.
  private func isPremature(_ outcome: CallOutcome, _ address: AnswerAddress) -> Bool {
    guard case .failure(let error) = outcome, error.code == .notInChannel,
      case .session(let reply) = address, let url = calls.channelURL(of: address)
    else { return false }
    return shard.session(reply.session)?.isIn(url) ?? false
  }

  // MARK: Questions

  /// The numbers of all servers but this one.
  var otherServers: [UInt16] {
    ring.members.map(\.slot).filter { $0 != network.local.slot }
  }

  /// The numbers of the other servers that read a version of messages; none when this one does not write
  /// it.
  func otherServers(reading version: UInt8) -> [UInt16] {
    guard network.local.version >= version else { return [] }
    return ring.members.filter { $0.slot != network.local.slot && $0.version >= version }
      .map(\.slot)
  }

  /// The other server that a user is at home on.
  func server(ofUser id: String) -> UInt16? { other(ring.home(ofUser: id)) }

  /// The number of the server that a channel is at home on.
  func home(ofChannel url: String) -> UInt16 { ring.home(ofChannel: url).slot }

  /// The other server that a channel is at home on.
  func server(ofChannel url: String) -> UInt16? { other(ring.home(ofChannel: url)) }

  private func other(_ member: ClusterMember) -> UInt16? {
    member.id == network.local.id ? nil : member.slot
  }

  /// The sends of sessions to a channel that await their answers.
  func awaitedSends(toChannel url: String) -> [AwaitedSend] { calls.awaitedSends(toChannel: url) }

  // MARK: Changes of the cluster

  /// Goes on with the ring that the network has now.
  func ringDidChange() {
    let old = ring
    ring = network.ring
    guard ring != old else { return begin() }
    // The others have taken over all that was here, and its sessions are going to end.
    guard !hasLeft else { return shard.channels.homesDidChange() }
    let ring = ring
    readAnnouncements()
    shard.users.removeSessions { ring.member(slot: $0.server) == nil }
    for session in shard.sessions.all {
      guard let userID = session.userID else { continue }
      let (before, after) = (old.home(ofUser: userID), ring.home(ofUser: userID))
      guard before.id != after.id else { continue }
      if ring.member(before.id) != nil {
        transmit(.user(id: userID, .forget(session.reference)), residence(of: before.id))
      }
      announce(session, userID)
    }
    for member in old.members where ring.member(member.id) == nil {
      shard.channels.serverIsGone(member.slot)
    }
    shard.channels.homesDidChange()
    calls.homesDidChange { old.home(ofChannel: $0).id != ring.home(ofChannel: $0).id }
    lose { call in
      if let server = call.server, ring.member(server) == nil { return true }
      guard case .user(let id, _) = call.message else { return false }
      return old.home(ofUser: id).id != ring.home(ofUser: id).id
    }
    answerLost { ring.member($0) == nil }
  }

  /// Lets the others know that this shard has no stages for them, when it begins with their ring.
  private func begin() {
    guard !hasBegun else { return }
    hasBegun = true
    shard.markStages(for: otherServers)
  }

  /// Begins anew with a server after messages from it and to it were lost.
  func linkWasReset(with server: ServerID, count: Int) {
    resetCounts = resetCounts.filter { network.ring.member($0.key) != nil }
    resetCounts[server] = count
    guard !hasLeft else { return }
    if let slot = ring.member(server)?.slot {
      shard.users.forgetSessions { $0.server == slot }
      shard.channels.linkWasReset(with: slot)
    }
    readAnnouncements()
    let sessions = shard.sessions.all.filter { session in
      session.userID.map { ring.home(ofUser: $0).id == server } ?? false
    }
    for session in sessions { if let userID = session.userID { announce(session, userID) } }
    lose { $0.server == server }
    answerLost { $0 == server }
  }

  /// Answers what waits for other servers, and from now on whatever would: they take this one for
  /// dead, and do not answer it.
  func leave() {
    hasLeft = true
    calls.end(at: shard.loop.now)
    lookAtCalls()
  }

  /// Reads what was announced meanwhile, once for all shards.
  private func readAnnouncements() {
    if shard.handle.index == 0 { shard.services.readAnnouncements() }
  }

  /// Reports a session to the home of its user.
  private func announce(_ session: Session, _ userID: String) {
    guard let announcement = session.announcement else { return }
    let message = ShardMessage.user(id: userID, announcement)
    transmit(message, residence(of: message))
  }

  // MARK: Calls

  func timerDidFire(_ token: EventLoop.TimerToken) {
    timer = nil
    lookAtCalls()
  }

  /// Repeats what is to be repeated, and answers the callers that have waited too long.
  func lookAtCalls() {
    let now = shard.loop.now
    for call in calls.takeExpired(at: now) { fail(call) }
    calls.renewEntries(at: now)
    repeatCalls(at: now)
    guard !calls.isEmpty else { return }
    schedule(after: calls.hasRepetitions ? Self.shortStep : Self.longStep)
  }

  /// Whether calls wait to be sent again.
  var hasRepetitions: Bool { calls.hasRepetitions }

  private func lose(where isLost: (PendingCalls.Call) -> Bool) {
    let now = shard.loop.now
    for call in calls.lose(at: now, where: isLost) { fail(call) }
    repeatCalls(at: now)
  }

  /// Answers the calls that were passed on to servers and are lost with them.
  private func answerLost(where isLost: (ServerID) -> Bool) {
    for answer in passed.lose(at: shard.loop.now, where: isLost) {
      transmit(answer, residence(of: answer))
    }
  }

  private func repeatCalls(at now: Int64) {
    for call in calls.takeRepetitions(at: now) {
      guard isWaiting(call.address) else {
        calls.forget(call, at: now)
        continue
      }
      figures.add(to: .repeated)
      let residence = residence(of: call.message)
      let message = named(call.message, residence)
      calls.resume(call, as: message, to: residence.server, at: now)
      transmit(message, residence)
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

  /// A send that goes to another server has a name, so that it can be repeated.
  private func named(_ message: ShardMessage, _ residence: ShardSet.Residence) -> ShardMessage {
    guard residence != .here else { return message }
    return message.named {
      lastName += 1
      let server = network.local.id
      return MessageOrigin.name(server: server.rawValue, shard: shard.handle.index, call: lastName)
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

  // MARK: Sending

  private func residence(of message: ShardMessage) -> ShardSet.Residence {
    shard.services.shards.residence(of: message, in: ring, seenBy: network.local)
  }

  private func residence(of server: ServerID) -> ShardSet.Residence {
    server == network.local.id ? .here : .there(server)
  }

  private func transmit(_ message: ShardMessage, _ residence: ShardSet.Residence) {
    switch residence {
    case .here:
      guard let receiver = shard.services.shards.receiver(of: message) else {
        return figures.add(to: .lost)
      }
      shard.send(.message(message), to: receiver)
    case .there(let server):
      let bytes = ring.encode(RelayedMessage(message), from: network.local, for: server)
      let isOwnCall = message.callAddress?.shard == shard.handle.address
      network.enqueue(
        bytes, to: server, knowing: isOwnCall ? resetCounts[server] ?? 0 : nil)
      hasEnqueued = true
    case .nowhere: figures.add(to: .lost)
    }
  }
}

extension Shard {
  /// The number of the server that a channel is at home on, by the ring that this shard goes on with.
  func homeServer(ofChannel url: String) -> UInt16 { edge?.home(ofChannel: url) ?? 0 }
}

extension ShardSet.Residence {
  /// The other server; `nil` for this one.
  var server: ServerID? {
    switch self {
    case .there(let server): server
    case .here, .nowhere: nil
    }
  }
}

extension CallOutcome {
  /// Whether a call was refused because its channel has another home.
  var isMoved: Bool {
    if case .failure(let error) = self { error.isMoved } else { false }
  }
}

extension CallOutcome {
  /// Whether a server was kept from carrying a call out by something else than the call.
  fileprivate var isFailureOfServer: Bool {
    guard case .failure(let error) = self else { return false }
    return error.code == .internalError || error.code == .rateLimited
  }
}

extension ServiceError {
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
