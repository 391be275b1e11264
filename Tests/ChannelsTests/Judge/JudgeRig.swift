import FloodControl
import LinkPreview
import ParleyProtocol
import Synchronization
import Testing

@testable import Channels

/// A judge with a log in memory; the test decides when the log answers, and whether it fails.
final class JudgeRig {
  /// An entry or a read that the log has not answered.
  enum Request {
    case entry(EntryID, LogEntry)
    case read(EntryID, LogRead)
  }

  typealias Outcome = Result<JudgeAnswer, ServiceError>

  private var judge: ChannelJudge
  var contents: MemoryLogContents
  let place: LogChannel
  /// Unix milliseconds.
  var now: Int64 = 10_000_000
  /// The milliseconds by which the clock was set forward since the start; back, if negative.
  var stepped: Int64 = 0
  /// Not answered, in the order of submission.
  var requests: [Request] = []
  /// By the number of the call.
  var answers: [UInt64: Outcome] = [:]
  var events: [ChannelEvent] = []
  /// Actions of other kinds.
  var others: [JudgeAction] = []
  /// What members' connections hear, in order: the methods of events, and of notices with their member.
  var heard: [String] = []
  var enrichments: [EnrichmentRequest] = []
  /// The last time at which the judge wants to be woken.
  var wakeTime: Int64?
  var tally = JudgeTally()
  /// The last counts of a group.
  var groupTally: GroupTally?
  private var actions = JudgeActions()
  private let messageIDs = Numbers()
  private var lastCall: UInt64 = 0

  /// A channel with users `ann`, `ben` and `cat` in it, and `boss` who operates it; or a group.
  ///
  /// - Parameters:
  ///   - group: Makes the channel a group of its creator, if it has one, and of the invited users.
  ///   - invited: The users whom the creator invites, sorted.
  ///   - asked: The users who accept invitations themselves.
  init(
    ephemeral: Bool = false, frozen: Bool = false,
    limit: RateLimit = RateLimit(count: 5, windowMilliseconds: 1000),
    exemptsOperators: Bool = false, previews: [String: LinkKnowledge]? = nil,
    operators: [String] = ["boss"], term: Int64 = 0, waits: SendWaits = .none,
    messageLifetime: Int64? = nil,
    translations: (@Sendable (String, [String]) -> TranslationKnowledge)? = nil,
    metaArrayLimits: MetaArrayLimits = MetaArrayLimits(), group: Group? = nil,
    inviting invited: [String] = [], asking asked: [String] = [],
    rules: GroupRules = GroupRules(), hooks: JudgeHooks? = nil
  ) throws {
    contents = MemoryLogContents(
      users: ["ann", "ben", "cat", "boss", "away"].map { User(id: $0, nickname: $0.uppercased()) })
    for id in asked { contents.setAcceptsInvitations(false, userID: id) }
    let channel = Channel(
      url: "lobby", isEphemeral: ephemeral, operators: operators.map { User(id: $0) },
      createdAt: group == nil ? 0 : now, group: group)
    let creation = LogEntry.create(channel, epoch: "e", inviting: invited, under: rules)
    guard case .success(.channel(var state)) = contents.perform(creation) else {
      throw RigError()
    }
    if frozen,
      case .success(.changed(_, let changed)) = contents.perform(
        .write(.change([.freeze(true)], at: 0), state.place))
    {
      state.channel = changed
      state.lastSeq = 1
    }
    place = state.place
    judge = Self.judge(
      state, limit, exemptsOperators, previews, messageIDs, at: Moment(unix: now, monotonic: now),
      waits: waits, messageLifetime: messageLifetime,
      translations: translations, metaArrayLimits: metaArrayLimits, rules: rules, hooks: hooks)
    guard group == nil else { return }
    for id in ["ann", "ben", "cat", "boss"] { enter(id) }
  }

  private struct RigError: Error {}

  private static func judge(
    _ state: ChannelState, _ limit: RateLimit, _ exemptsOperators: Bool,
    _ previews: [String: LinkKnowledge]?, _ ids: Numbers, at now: Moment,
    recentSends: [RecentSend] = [], waits: SendWaits = .none, messageLifetime: Int64? = nil,
    translations: (@Sendable (String, [String]) -> TranslationKnowledge)? = nil,
    metaArrayLimits: MetaArrayLimits = MetaArrayLimits(), rules: GroupRules = GroupRules(),
    hooks: JudgeHooks? = nil
  ) -> ChannelJudge {
    var lookUp: (@Sendable (Link, String?) -> LinkKnowledge)?
    if let previews { lookUp = { link, _ in previews[link.url] ?? .unknown(link) } }
    return ChannelJudge(
      state, recentSends: recentSends, floodLimit: limit, exemptsOperators: exemptsOperators,
      loadedAt: now,
      sources: JudgeSources(
        nextMessageID: { ids.next(at: $0) }, lookUpPreview: lookUp,
        lookUpTranslations: translations, waits: waits, hooks: hooks,
        retentionRules: { RetentionRules(otherLifetime: messageLifetime ?? 0) },
        metaArrayLimits: metaArrayLimits, groupRules: { rules }))
  }

  /// Puts a new judge in place of the one there is, as after a restart.
  func restart(
    limit: RateLimit = RateLimit(count: 5, windowMilliseconds: 1000), users: [String],
    rules: GroupRules = GroupRules()
  ) throws {
    guard
      case .success(.read(.channel(let state?))) = contents.answer(.channel(url: place.url)),
      case .success(.read(.sends(let sends))) = contents.answer(
        .sends(channelID: place.id, after: now - limit.windowMilliseconds, limit: 100))
    else { throw RigError() }
    judge = Self.judge(
      state, limit, false, nil, messageIDs, at: moment, recentSends: sends, rules: rules)
    requests = []
    for id in users { enter(id) }
  }

  // MARK: Inputs

  func handle(_ input: JudgeInput) {
    judge.handle(input, at: moment, into: &actions)
    while let action = actions.next() { note(action) }
    if let counted = actions.takeTally() { tally.add(counted) }
    if let counted = actions.takeGroupTally() { groupTally = counted }
  }

  private var moment: Moment { Moment(unix: now, monotonic: now - stepped) }

  func enter(_ userID: String) { handle(.entered(userID: userID)) }

  /// Gives a command, which the log has not answered yet.
  ///
  /// - Returns: The number of the call.
  @discardableResult
  func begin(_ command: ChannelCommand, by principal: Principal) -> UInt64 {
    lastCall += 1
    handle(.command(command, by: principal, call: .platform(lastCall)))
    return lastCall
  }

  /// Gives a message of the past, which the log has not answered yet.
  ///
  /// - Parameter userID: `nil` for an admin message.
  /// - Returns: The number of the call.
  @discardableResult
  func beginImport(
    _ text: String, at createdAt: Int64, by userID: String? = "away", _ requestID: String? = nil,
    mentioning ids: [String] = []
  ) -> UInt64 {
    lastCall += 1
    let draft = MessageDraft(
      type: userID == nil ? .admin : .user, text: text, mentionedUserIDs: ids)
    let message = MessageImport(
      MessageOrder(.success(draft), requestID: requestID), createdAt: createdAt,
      author: userID.map { User(id: $0, nickname: $0.uppercased()) })
    handle(.importing(message, call: .platform(lastCall)))
    return lastCall
  }

  /// Gives a message of the past, lets the log answer all that it asks, and returns the outcome.
  func importMessage(
    _ text: String, at createdAt: Int64, by userID: String? = "away", _ requestID: String? = nil,
    mentioning ids: [String] = []
  ) throws -> Outcome {
    let call = beginImport(text, at: createdAt, by: userID, requestID, mentioning: ids)
    answerAll()
    return try #require(answers[call])
  }

  /// Gives a command, lets the log answer all that it asks, and returns the outcome.
  func perform(_ command: ChannelCommand, by principal: Principal) throws -> Outcome {
    let call = begin(command, by: principal)
    answerAll()
    // A mark of a member who has made several in this second waits for its time.
    while answers[call] == nil, let time = wakeTime, time > now {
      now = time
      handle(.deadline)
      answerAll()
    }
    return try #require(answers[call])
  }

  func perform(_ command: ChannelCommand, by userID: String) throws -> Outcome {
    try perform(command, by: .participant(userID))
  }

  // MARK: Questions

  var isIdle: Bool { judge.isIdle }

  var hasNotices: Bool { judge.hasNotices }

  var isDeleted: Bool { judge.isDeleted }

  /// The numbers of members that the judge has reported.
  var reportedCounts: [Event.MemberCount] {
    others.compactMap { if case .reportMemberCount(let count) = $0 { count } else { nil } }
  }
  var channel: Channel { judge.channel }
  var retention: ChannelRetention { judge.retention }
  var operatorIDs: Set<String> { judge.operatorIDs }

  func sendCheck(of userID: String, at now: Int64) -> SendCheck {
    judge.sendCheck(of: userID, [], at: Moment(unix: now, monotonic: now - stepped))
  }

  func restriction(_ kind: RestrictionKind, of userID: String, at now: Int64) -> Restriction? {
    judge.restriction(kind, of: userID, at: now)
  }

  func requireEntering(_ userID: String, at now: Int64) throws(ServiceError) {
    try judge.requireEntering(userID, at: now)
  }

  func requireKeptMessages() throws(ServiceError) { try judge.requireKeptMessages() }

  /// The joined members of a group, sorted; `nil` in an open channel.
  var joinedIDs: [String]? { judge.joinedIDs?.sorted() }

  func isJoined(_ userID: String) -> Bool { judge.isJoined(userID) }

  func requireReading(_ userID: String) throws(ServiceError) -> Int64 {
    try judge.requireReading(.participant(userID))
  }

  func requireReporting(_ userID: String) throws(ServiceError) -> Int64 {
    guard case .session(let caller) = Principal.participant(userID) else { return 0 }
    return try judge.requireReporting(caller)
  }

  func requireListingMembers(_ userID: String) throws(ServiceError) {
    try requireListingMembers(.participant(userID))
  }

  func requireListingMembers(_ principal: Principal) throws(ServiceError) {
    try judge.requireListingMembers(principal)
  }

  // MARK: The log

  /// Lets the log answer everything, and what it is asked then.
  func answerAll() {
    while !requests.isEmpty { answerNext() }
  }

  /// Lets the log carry out its oldest request.
  func answerNext() {
    switch requests.removeFirst() {
    case .entry(let id, let entry): handle(.logged(id, contents.perform(entry)))
    case .read(let id, let read): handle(.logged(id, contents.answer(read)))
    }
  }

  /// Lets the oldest request fail.
  ///
  /// - Parameter isWritten: Whether an entry is there all the same.
  func failNext(_ error: LogError, isWritten: Bool = false) {
    switch requests.removeFirst() {
    case .entry(let id, let entry):
      if isWritten { _ = contents.perform(entry) }
      handle(.logged(id, .failure(error)))
    case .read(let id, _): handle(.logged(id, .failure(error)))
    }
  }

  private func note(_ action: JudgeAction) {
    switch action {
    case .submit(let id, let entry): requests.append(.entry(id, entry))
    case .read(let id, let read): requests.append(.read(id, read))
    case .answer(.platform(let call), let outcome):
      if answers[call] != nil { Issue.record("call \(call) was answered twice") }
      answers[call] = outcome
    case .publish(let event):
      events.append(event)
      heard.append(event.method ?? "")
    case .notifyMember(let notice):
      heard.append("\(notice.method ?? "") \(notice.userID)")
      others.append(action)
    case .notifyMembers(let notice):
      heard.append((try? JSONDocument(notice.payload))?.root["method"]?.string ?? "")
      others.append(action)
    case .enrich(let request): enrichments.append(request)
    case .measure: break
    case .wake(let time):
      wakeTime = time
      others.append(action)
    case .answer, .pass, .post, .mention, .notify, .noteReading, .reportMemberCount, .handOver,
      .ask, .noteHook,
      .renewLimits,
      .release:
      others.append(action)
    }
  }
}

/// Makes ids for messages.
private final class Numbers: Sendable {
  private let last = Mutex<Int64>(0)

  func next(at time: Int64) -> Int64 {
    last.withLock { last in
      last = max(last + 1, time * 1_000)
      return last
    }
  }
}

extension Principal {
  /// A user, on the connection that has its name's number.
  static func participant(_ userID: String, session: Int = 1) -> Principal {
    .session(
      SessionPrincipal(
        user: User(id: userID, nickname: userID.uppercased()), session: .sample(session)))
  }

  static let platform = Principal.platform(onBehalfOf: nil)
}

extension ChannelCommand {
  static func send(
    _ text: String, _ requestID: String? = nil, type: MessageType = .user,
    mentioning ids: [String] = [], metaArrays: [MetaArray] = []
  ) -> ChannelCommand {
    let draft = MessageDraft(
      type: type, text: text, mentionedUserIDs: ids, metaArrays: metaArrays)
    return .send(MessageOrder(.success(draft), requestID: requestID))
  }

  static func mute(
    _ userID: String, seconds: Int64 = -1, _ description: String = ""
  ) -> ChannelCommand {
    .restrict(.mute, userID, seconds, description)
  }

  static func ban(
    _ userID: String, seconds: Int64 = -1, _ description: String = ""
  ) -> ChannelCommand {
    .restrict(.ban, userID, seconds, description)
  }

  private static func restrict(
    _ kind: RestrictionKind, _ userID: String, _ seconds: Int64, _ description: String
  ) -> ChannelCommand {
    .operation(
      .restrict(
        kind, ChannelRestriction(userID: userID, seconds: seconds, description: description)))
  }

  static let freeze = ChannelCommand.operation(.freeze(true))
  static let unfreeze = ChannelCommand.operation(.freeze(false))
  static let delete = ChannelCommand.operation(.delete)
  static let removeAllOperators = ChannelCommand.operation(.removeAllOperators)

  static func update(_ fields: ChannelFields) -> ChannelCommand { .operation(.update(fields)) }

  static func addOperators(_ ids: [String]) -> ChannelCommand { .operation(.addOperators(ids)) }

  static func removeOperators(_ ids: [String]) -> ChannelCommand {
    .operation(.removeOperators(ids))
  }

  static func unmute(userID: String) -> ChannelCommand {
    .operation(.lift(.mute, userID: userID))
  }

  static func unban(userID: String) -> ChannelCommand { .operation(.lift(.ban, userID: userID)) }

  static func changeBan(
    userID: String, seconds: Int64?, description: String?
  ) -> ChannelCommand {
    .operation(
      .changeBan(userID: userID, BanChange(seconds: seconds, description: description)))
  }
}

extension Result<JudgeAnswer, ServiceError> {
  /// The code of the refusal; `nil` when the command was carried out.
  var code: ErrorCode? {
    if case .failure(let error) = self { error.code } else { nil }
  }

  var error: ServiceError? {
    if case .failure(let error) = self { error } else { nil }
  }

  var sent: SentMessage? {
    if case .success(.sent(let sent)) = self { sent } else { nil }
  }

  var changed: Message? {
    if case .success(.changed(let changed)) = self { changed.message } else { nil }
  }

  var channel: Channel? {
    if case .success(.channel(let view)) = self { view.channel } else { nil }
  }

  var lifted: Bool? {
    if case .success(.lifted(let lifted)) = self { lifted } else { nil }
  }

  var group: GroupAnswer? {
    if case .success(.group(let group)) = self { group } else { nil }
  }

  var imposed: ImposedRestriction? {
    if case .success(.imposed(let imposed)) = self { imposed } else { nil }
  }
}

extension ChannelEvent {
  /// The notification as values.
  var params: JSONNode? { try? JSONDocument(payload).root["params"] }

  var method: String? { (try? JSONDocument(payload))?.root["method"]?.string }
}

extension MemberNotice {
  var method: String? { (try? JSONDocument(payload))?.root["method"]?.string }
}

extension JudgeTally {
  fileprivate mutating func add(_ other: JudgeTally) {
    refused.flood += other.refused.flood
    refused.banned += other.refused.banned
    refused.notInChannel += other.refused.notInChannel
    refused.frozen += other.refused.frozen
    refused.muted += other.refused.muted
    refused.filtered += other.refused.filtered
    refused.invalid += other.refused.invalid
    accepted += other.accepted
    repeated += other.repeated
    failed += other.failed
    updated += other.updated
    deleted += other.deleted
    previewsAttached += other.previewsAttached
    previewsUpdated += other.previewsUpdated
    previewsNone += other.previewsNone
    thumbnailsLate += other.thumbnailsLate
    translationsLate += other.translationsLate
  }
}
