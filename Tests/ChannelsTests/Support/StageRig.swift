import FloodControl
import ParleyProtocol

@testable import Channels

/// A stage beside its home's presence, with the least host that carries their actions out:
/// subscriptions and what is sent to each, as short texts.
final class StageRig {
  private var stage: ChannelStage
  private var presence = ChannelPresence(url: "lobby")
  /// The clock of pauses; the deployment's clock shows a million more.
  private(set) var now: Int64 = 0
  private(set) var subscribers: Set<SessionAddress> = []
  private(set) var welcomes: [JSONNode] = []
  private(set) var replies: [(ReplyAddress, CallOutcome)] = []
  private(set) var released: [SessionAddress] = []
  private(set) var reads: [RecoveryRead] = []
  /// The answers to members who have asked for missed events.
  private(set) var recovered: [Result<RecoveredGroup, ServiceError>] = []
  private(set) var present: [String] = []
  private(set) var withheldCount = 0
  /// The users who have joined a group and are searched; `nil` for a search of all its members.
  private(set) var seeks: [String?] = []
  private(set) var plans: [(plan: FanOutPlan, shard: Int)] = []
  private var sent: [SessionAddress: [String]] = [:]
  private var wakeTime: Int64?
  private var presenceTime: Int64?
  private var lastSeq: Int64

  init(
    limit: RateLimit = RateLimit(count: 5, windowMilliseconds: 1000), operators: [String] = [],
    isEphemeral: Bool = false, lastSeq: Int64 = 0, group: Group? = nil
  ) {
    let channel = Channel(
      url: "lobby", isEphemeral: isEphemeral, operators: operators.map { User(id: $0) },
      createdAt: 0, group: group)
    stage = ChannelStage(channel, epoch: "epoch", lastSeq: lastSeq, throttleLimit: limit)
    self.lastSeq = lastSeq
  }

  static let epochOffset: Int64 = 1_000_000

  /// Unix milliseconds.
  var unix: Int64 { now + Self.epochOffset }

  // MARK: Inputs

  /// Gives the stage an input, and carries out what follows.
  func handle(_ input: StageInput) {
    var actions = StageActions()
    stage.handle(input, at: Moment(unix: unix, monotonic: now), into: &actions)
    for action in actions.list { perform(action) }
  }

  /// Gives the presence an input, and carries out what follows.
  func handle(_ input: PresenceInput) {
    for action in presence.handle(input, at: Moment(unix: unix, monotonic: now)) {
      switch action {
      case .present(let userID): present.append(userID)
      case .absent(let userID): present.removeAll { $0 == userID }
      case .publish(let notice): handle(.notice(notice))
      case .correct, .readProfiles: preconditionFailure("there is one server, which knows all")
      case .wake(let time): presenceTime = time
      }
    }
  }

  /// Ends the turn and lets time pass; the stage and the presence are woken when they asked to be.
  func wait(_ milliseconds: Int64) {
    endTurn()
    let end = now + milliseconds
    while let time = deadline, time <= end {
      now = max(now, time)
      if let time = presenceTime, time <= now {
        presenceTime = nil
        handle(PresenceInput.deadline)
      }
      if let time = wakeTime, time <= now {
        wakeTime = nil
        handle(StageInput.deadline)
      }
      endTurn()
    }
    now = end
  }

  func endTurn() { handle(.endOfTurn) }

  /// Publishes an event of the judge.
  ///
  /// - Parameter age: The milliseconds since the event was stamped.
  /// - Returns: Its position.
  @discardableResult
  func publish(
    _ text: String, _ subject: ChannelEvent.Subject = .announcement,
    author: SessionAddress? = nil, age: Int64 = 0
  ) -> Int64 {
    lastSeq += 1
    if case .end = subject { handle(PresenceInput.ended) }
    handle(
      .apply(
        ChannelEvent(
          payload: Array(text.utf8), subject: subject, seq: lastSeq, timestamp: unix - age,
          author: author)))
    if case .expulsion(let userID) = subject { handle(.expelled(userID: userID)) }
    return lastSeq
  }

  /// Publishes an event of the judge that has no number.
  func publishUnnumbered(_ text: String, _ subject: ChannelEvent.Subject) {
    handle(
      .apply(
        ChannelEvent(
          payload: Array(text.utf8), subject: subject, seq: lastSeq, timestamp: unix, author: nil)))
  }

  /// Publishes a message with the text "m" and its id.
  func send(_ id: Int64, by userID: String?, from author: SessionAddress? = nil) {
    let facts = MessageFacts(id: id, createdAt: unix, authorID: userID)
    publish("m\(id)", .message(facts), author: author)
  }

  /// Publishes an update with the text "u", the id and its position.
  func update(_ id: Int64, author: SessionAddress? = nil) {
    publish("u\(id)@\(lastSeq + 1)", .update(ofMessage: id), author: author)
  }

  func delete(_ id: Int64) { publish("d\(id)", .deletion(ofMessage: id)) }

  /// Asks to enter.
  func enter(
    _ session: SessionAddress, _ userID: String, recover seq: Int64? = nil,
    epoch: String = "epoch", limit: Int = Limits.answerByteCount
  ) {
    handle(.enter(request(session, userID, recover: seq, epoch: epoch, limit: limit)))
  }

  func request(
    _ session: SessionAddress, _ userID: String, recover seq: Int64? = nil,
    epoch: String = "epoch", limit: Int = Limits.answerByteCount
  ) -> EnterRequest {
    EnterRequest(
      principal: SessionPrincipal(user: User(id: userID), session: session),
      recover: seq.map { StreamPosition(epoch: epoch, seq: $0) },
      address: address(session, limit: limit))
  }

  /// Asks for the events that a connection of a member has missed.
  func recover(
    _ session: SessionAddress, _ userID: String, after seq: Int64, epoch: String = "epoch",
    in history: VisibleHistory = .whole, limit: Int = Limits.answerByteCount
  ) {
    handle(
      .recover(
        MemberRecovery(
          SessionPrincipal(user: User(id: userID), session: session),
          after: StreamPosition(epoch: epoch, seq: seq), in: history, byteLimit: limit,
          replyTo: PollAddress(
            shard: ShardAddress(server: 0, shard: 0), number: session.connection, part: 0))))
  }

  func address(
    _ session: SessionAddress, limit: Int = Limits.answerByteCount
  ) -> ReplyAddress {
    ReplyAddress(
      session: session, ticket: CallTicket(unit: 0, index: 0), id: nil, isPaid: true,
      limit: limit)
  }

  /// Closes a connection.
  func leave(_ session: SessionAddress, _ userID: String) {
    subscribers.remove(session)
    handle(.leave(session, userID: userID))
  }

  /// Begins a search of all members of a group.
  func seek() {
    seeks.append(nil)
    handle(.seek)
  }

  /// Answers the oldest search.
  func answerSeek(_ sessions: [(SessionAddress, String)] = []) {
    seeks.removeFirst()
    handle(.seats(sessions.map { Seat(userID: $0.1, session: $0.0) }))
  }

  /// Adds a connection of a member that has opened its session.
  func seat(_ session: SessionAddress, _ userID: String) {
    handle(.seat(Seat(userID: userID, session: session)))
  }

  /// Answers the oldest read.
  func answerRead(_ events: [DurableEvent]?) {
    handle(.recovered(reads.removeFirst().number, .success(events)))
  }

  /// Takes out the oldest read that was asked for.
  func takeRead() -> RecoveryRead { reads.removeFirst() }

  // MARK: Observations

  /// The texts that a connection has been sent since the last call.
  func take(_ session: SessionAddress) -> [String] {
    sent.removeValue(forKey: session) ?? []
  }

  /// All texts that connections have been sent since the last call.
  func takeAll() -> [SessionAddress: [String]] {
    defer { sent = [:] }
    return sent
  }

  /// Ends the turn, and takes the texts of a connection.
  func turn(_ session: SessionAddress) -> [String] {
    endTurn()
    return take(session)
  }

  /// Ends the turn, and drops everything that was sent so far.
  func settle() {
    endTurn()
    sent = [:]
    plans = []
  }

  var participantCount: Int {
    precondition(stage.participantCount == presence.roster.count)
    return presence.roster.count
  }

  /// The number of members of a group with connections on the stage.
  var seatedCount: Int { stage.participantCount }

  var awaitsEndOfTurn: Bool { stage.awaitsEndOfTurn }

  var isIdle: Bool { stage.isIdle }

  func participants(after number: Int64, limit: Int) -> [ChannelRoster.Entry] {
    presence.roster.page(after: number, limit: limit)
  }

  /// The deadline that the stage or the presence waits for.
  var deadline: Int64? { [wakeTime, presenceTime].compactMap(\.self).min() }

  // MARK: Actions

  private func perform(_ action: StageAction) {
    switch action {
    case .deliver(let plan, let shard): deliver(plan, shard)
    case .notify(let payload, let sessions, let shard):
      for session in sessions {
        precondition(Int(session.shard) == shard)
        send(payload, to: session)
      }
    case .reply(let address, let outcome):
      replies.append((address, outcome))
      sent[address.session, default: []].append("reply")
    case .welcome(let address, _, let result):
      subscribers.insert(address.session)
      guard let result = try? JSONDocument(result).root else { preconditionFailure("no JSON") }
      welcomes.append(result)
      sent[address.session, default: []].append(Self.text(welcome: result))
    case .admitObserver(let address, let result):
      guard let result = try? JSONDocument(result).root else { preconditionFailure("no JSON") }
      sent[address.session, default: []].append("hears " + Self.text(welcome: result))
    case .recovered(let group, let address):
      recovered.append(group)
      // Numbered by the sessions in tests.
      sent[.sample(Int(address.number)), default: []].append(Self.text(recovered: group))
    case .seek(let userID): seeks.append(userID)
    case .subscribe(let seat):
      subscribers.insert(seat.session)
      sent[seat.session, default: []].append("seated")
    case .release(let principal): released.append(principal.session)
    case .unsubscribe(let session):
      subscribers.remove(session)
      sent[session, default: []].append("put out")
    case .read(let read): reads.append(read)
    case .entered(let user, let session): handle(.entered(user, session))
    case .left(let userID): handle(.left(userID: userID, server: 0))
    case .withheld(let count): withheldCount += count
    case .disconnect(let session): sent[session, default: []].append("disconnected")
    case .report, .repair, .reattach, .renew:
      preconditionFailure("there is one server")
    case .wake(let time): wakeTime = time
    }
  }

  private func deliver(_ plan: FanOutPlan, _ shard: Int) {
    plans.append((plan, shard))
    var shares: [UInt64: FanOutPlan.Share] = [:]
    for exception in plan.exceptions { shares[exception.connection] = exception.share }
    precondition(shares.count == plan.exceptions.count, "a connection is named twice")
    for session in subscribers where Int(session.shard) == shard {
      let share = shares[session.connection] ?? plan.common
      for (index, payload) in plan.payloads.enumerated() where share.contains(index) {
        send(payload, to: session)
      }
    }
  }

  private func send(_ payload: [UInt8], to session: SessionAddress) {
    sent[session, default: []].append(Self.text(of: payload))
  }

  /// A short text for a notification: that of the stage's own begins with a letter of its method.
  static func text(of payload: [UInt8]) -> String {
    let text = String(decoding: payload, as: UTF8.self)
    guard text.hasPrefix("{"), let root = try? JSONDocument(payload).root else { return text }
    let params = root["params"]
    let user = params?["user"]?["user_id"]?.string ?? ""
    let count = params?["participant_count"]?.integer ?? -1
    let seq = params?["seq"]?.integer ?? -1
    switch root["method"]?.string {
    case "channel.user_entered": return "+\(user) \(count)"
    case "channel.user_exited": return "-\(user) \(count)"
    case "channel.participant_count": return "=\(count)"
    case "channel.throttled":
      let ids = ["withheld", "first_message_id", "last_message_id"].map {
        params?[$0]?.integer ?? -1
      }
      return "throttled \(ids[0]): \(ids[1])-\(ids[2])"
    case "message.withheld":
      return "withheld \(params?["message_id"]?.integer ?? -1) from "
        + "\(params?["participants"]?.integer ?? -1)"
    case "message.received": return "m\(params?["message"]?["message_id"]?.integer ?? -1)"
    case "message.updated":
      return "u\(params?["message"]?["message_id"]?.integer ?? -1)@\(seq)"
    case "group.lost": return "lost: \(params?["reason"]?.string ?? "")"
    case "message.deleted": return "d\(params?["message_id"]?.integer ?? -1)"
    case "group.member_count": return "members \(params?["member_count"]?.integer ?? -1)"
    case let method: return method ?? "?"
    }
  }

  private static func text(recovered: Result<RecoveredGroup, ServiceError>) -> String {
    switch recovered {
    case .failure(let error): return "refused \(error.code.rawValue)"
    case .success(let group):
      return "at \(group.seq)" + (group.events.map { " \($0.map(text))" } ?? "")
    }
  }

  private static func text(welcome: JSONNode) -> String {
    let events = welcome["events"]?.elements.map { text(of: Array($0.raw)) } ?? []
    let recovered = welcome["recovered"]?.bool == true ? " \(events)" : ""
    return
      "in \(welcome["participant_count"]?.integer ?? -1)@\(welcome["seq"]?.integer ?? -1)"
      + recovered
  }
}
