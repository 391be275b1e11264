@testable import Channels
import FloodControl
import ParleyProtocol
import TestSupport

/// Messages of every case with random contents.
struct SampleMessages {
  var random: SeededGenerator
  private let metadataLimit: Int

  /// - Parameter metadataLimit: Entries in tables, at most.
  init(seed: UInt64, metadataLimit: Int = 4) {
    random = SeededGenerator(seed: seed)
    self.metadataLimit = metadataLimit
  }

  /// One message of each case, with the cases of what they hold in turn.
  mutating func all() -> [ShardMessage] {
    channelMessages().map { .channel(url: text(), $0) }
      + stageMessages().map { .stage(server: half(), url: text(), $0) }
      + userMessages().map { .user(id: text(), $0) }
      + sessionMessages().map { .session(session(), $0) }
      + tasks().map { .shard(shardAddress(), $0) }
      + [.exchange(exchange(), outcome()), .exchange(exchange(), .failure(error()))]
  }

  mutating func channelMessages() -> [ChannelMessage] {
    commands().map { .command($0, by: principal(), replyTo: reply()) } + [
      .listParticipants(
        limit: pageSize(), token: optional { $0.text() }, for: principal(), replyTo: reply()),
      .listMessages(messageList(.now), for: principal(), replyTo: reply()),
      .listMessages(messageList(.message(id: integer())), for: principal(), replyTo: reply()),
      .listMessages(messageList(.time(integer())), for: principal(), replyTo: reply()),
      .exited(session()), .profile(user()),
      .platform(
        PlatformRequest(
          method: text(), target: text(), body: bytes(), caller: bytes(), exchange: exchange())),
      .submit(
        order(), to: .open, createdAt: nil, onBehalfOf: .success(optional { $0.user() }),
        replyTo: exchange()),
      .submit(
        order(), to: .group, createdAt: importTime(), onBehalfOf: .failure(error()),
        replyTo: exchange()),
      .background(.send(order()), by: user(), replyTo: poll()),
      .background(
        .group(.changeOwn(.markReadUntil(importTime()))), by: user(), replyTo: poll()),
      .explainLimits(userID: text(), replyTo: exchange()),
      .create(channel(), replyTo: .session(reply())),
      .create(channel(), replyTo: .exchange(exchange())),
      .dismiss(userID: text(), replyTo: poll()),
      .restrictionsRemoved(userID: text()), .metadata(metadata()),
      .blocked(Block(by: text(), of: text())), .unblocked(Block(by: text(), of: text())),
      .readPrivacyChanged(userID: text(), hidesReads: flag()),
      .createGroup(groupCreation(), replyTo: .session(reply())),
      .createGroup(groupCreation(), replyTo: .exchange(exchange())),
      .viewGroup(replyTo: exchange()),
      .listMembers(groupMembers(), for: principal(), replyTo: reply()),
      .listChanges(
        MessageChangeList(
          channelURL: text(),
          ChangeList(
            flag() ? .token(text()) : .time(.random(in: Limits.timestamps, using: &random)),
            limit: pageSize())), for: principal(), replyTo: reply()),
      .complain(report(.message(importTime())), by: principal(), replyTo: reply()),
      .complain(report(.user(text())), by: principal(), replyTo: reply()),
      .complain(report(.channel), by: principal(), replyTo: reply()),
      .recover(
        after: StreamPosition(epoch: text(), seq: position()), by: principal(),
        byteLimit: .random(in: 0...Limits.answerByteCount, using: &random), replyTo: poll()),
    ] + lateAdditions()
      + reports().map { .report($0, from: StageAddress(server: half(), attachment: word())) }
  }

  mutating func lateAdditions() -> [ChannelMessage] {
    let image = OpenGraphImage(
      url: optional { $0.text() }, secureURL: optional { $0.text() }, type: optional { $0.text() },
      width: Int32(half()), height: Int32(half()), alt: optional { $0.text() },
      originURL: optional { $0.text() })
    let tag = OpenGraphTag(
      title: optional { $0.text() }, url: optional { $0.text() },
      description: optional { $0.text() }, image: optional { _ in image })
    let enrichments: [Enrichment] = [
      .preview(tag), .thumbnails(list { $0.thumbnail() }),
      .translations(MessageTranslations(metadata())),
    ]
    return enrichments.map {
      .lateAddition(LateAddition(messageID: integer(), text: text(), enrichment: $0))
    }
  }

  mutating func reports() -> [StageReport] {
    [
      .attach(
        StageAttachment(
          epoch: text(), seq: position(),
          announced: optional { .users([$0.text()]) })),
      .arrive(StagePiece(userIDs: texts(), isLast: true)), .admit(word(), principal()),
      .entered(user(), session()), .left(userID: text()), .detach,
      .sought(word(), isHere: flag()), .vacant(admissions: count()),
    ]
  }

  mutating func stageMessages() -> [StageMessage] {
    [
      .enter(enterRequest()), .leave(session(), userID: text()),
      .news(news(), attachment: word()), .answer(reply(), outcome(), after: position()),
      .seek(MemberQuestion(number: word(), userIDs: texts(), areSeated: flag())),
    ]
  }

  mutating func news() -> [StageNews] {
    let start = StageStart(
      channel: channel(), channelID: integer(), epoch: text(), seq: position(),
      throttleLimit: limit(), announced: optional { _ in .number })
    let marks: [PresenceMark] = [.entered(userID: text()), .exited(userID: text()), .count]
    let notices = marks.map {
      StageNotice(payload: bytes(), author: optional { $0.session() }, mark: $0)
    }
    return subjects().map { .event(event($0)) } + notices.map { .notice($0) } + [
      .attached(start), .absent, .released, .admitted(word(), .success(true)),
      .admitted(word(), .failure(error())), .next, .record(channel()),
      .throttle(limit()), .elsewhere(count()), .answer(reply(), outcome()), .seat(seat()),
      .memberNotice(
        MemberNotice(userID: text(), payload: bytes(), except: [session(), session()])),
      .membersNotice(MembersNotice(payload: bytes(), exceptIDs: texts())),
      .memberCount(Event.MemberCount(all: count(), joined: count())), .strangers(texts()),
      .dispersed,
    ]
  }

  mutating func event(_ subject: ChannelEvent.Subject) -> ChannelEvent {
    ChannelEvent(
      payload: bytes(), subject: subject, seq: position(), timestamp: integer(),
      author: optional { $0.session() })
  }

  mutating func subjects() -> [ChannelEvent.Subject] {
    let facts = MessageFacts(
      id: integer(), createdAt: integer(), authorID: optional { $0.text() })
    return [
      .message(facts), .update(ofMessage: integer()), .deletion(ofMessage: integer()),
      .record(channel()), .operators(list { $0.user() }), .expulsion(ofUser: text()), .end,
      .announcement, .admission(ofUser: text()), .invitation, .quietAdmission(ofUser: text()),
      .mentionChange(ofMessage: integer()),
      .quietDeparture(ofUser: text(), choice(DepartureReason.allCases)),
    ] + DepartureReason.allCases.map { .departure(ofUser: text(), $0) }
  }

  mutating func limit() -> RateLimit {
    RateLimit(count: number(), windowMilliseconds: integer())
  }

  mutating func commands() -> [ChannelCommand] {
    [
      .view, .send(order()), .updateMessage(integer(), changes()), .deleteMessage(integer()),
      .viewMessage(integer()), .translateMessage(integer(), into: texts()),
    ] + operations().map { .operation($0) }
      + metaArrayChanges().map { .changeMetaArrays(ofMessage: integer(), $0) }
      + groupCommands().map { .group($0) }
  }

  mutating func groupCommands() -> [GroupCommand] {
    [
      .view(memberLimit: count(), created: optional { $0.flag() }), .update(fields()), .delete,
      .typing(flag()), .receipts, .markDelivered(upTo: integer()),
    ] + membershipChanges().map { .change($0) } + ownChanges().map { .changeOwn($0) }
  }

  mutating func ownChanges() -> [OwnChange] {
    [
      .markRead(upTo: optional { $0.integer() }), .markUnread(from: integer()),
      .hide(clearing: flag(), isArchived: flag()), .unhide, .resetHistory,
      .prefer(choice(CountPreference.allCases)),
      .preferPushes(
        choice(ChannelPushTriggerOption.allCases),
        counting: optional { $0.choice(CountPreference.allCases) }),
    ]
  }

  mutating func membershipChanges() -> [MembershipChange] {
    [
      .invite(texts()), .accept, .decline, .join(accessCode: text()), .leave, .remove(texts()),
      .forget(userID: text()), .release(userIDs: nil, keepsRoles: flag()),
      .release(userIDs: texts(), keepsRoles: flag()),
    ]
  }

  mutating func operations() -> [ChannelOperation] {
    let ban = BanChange(
      seconds: optional { $0.seconds() }, description: optional { $0.text() })
    return [
      .update(fields()), .delete, .freeze(flag()), .addOperators(texts()),
      .removeOperators(texts()), .removeAllOperators, .restrict(.mute, restriction()),
      .restrict(.ban, restriction()), .lift(.mute, userID: text()), .lift(.ban, userID: text()),
      .changeBan(userID: text(), ban),
    ] + membershipChanges().map { .changeMembers($0) }
  }

  mutating func metaArrayChanges() -> [MetaArrayChange] {
    [
      .createKeys(texts()), .deleteKeys(texts()), .addValues(metaArrays()),
      .removeValues(metaArrays()), .addValuesToKnownKeys(metaArrays()),
      .removeValuesFromKnownKeys(metaArrays()),
    ]
  }

  mutating func userMessages() -> [UserMessage] {
    proofs.map { .revoke($0, reason: text()) } + [
      .expect(session()),
      .add(
        session(), openedAt: integer(), newProfile: optional { $0.user() }, hearsGroups: flag()),
      .remove(session(), lostSince: optional { $0.integer() }), .background(session(), flag()),
      .enter(enterRequest(), channelURL: text()),
      .release(session(), channelURL: text()), .update(user()), .expel(reason: text()),
      .mention(texts(), event: bytes()), .notify(bytes()), .notifyOfGroup(bytes()),
      .announce(
        session(), openedAt: optional { $0.integer() }, channelURLs: texts(), hearsGroups: flag(),
        isInBackground: flag()),
      .forget(session()), .listChannels(replyTo: poll()),
    ]
  }

  mutating func sessionMessages() -> [SessionMessage] {
    proofs.map { .revoke($0, reason: text()) } + [
      .expected, .complete(reply(), outcome()), .complete(reply(), .failure(error())),
      .entered(channelURL: text(), userID: text(), reply(), result: bytes()),
      .removed(channelURL: text()), .notify(bytes()), .profile(user()), .expel(reason: text()),
      .expelOldest,
      .charge(QueryCost(nanoseconds: .random(in: 0 ... .max, using: &random), isCutShort: flag())),
      .chargeRepetition(ticket()), .pass(ticket()), .disconnect,
      .seated(channelURL: text(), userID: text()),
    ]
  }

  // MARK: Parts

  private let proofs: [TokenProof] = [.none, .signed, .accessToken, .sessionToken]

  mutating func plan() -> FanOutPlan {
    let payloads = (0..<Int.random(in: 1...64, using: &random)).map { _ in bytes() }
    let all = FanOutPlan.Share.all(of: payloads.count)
    let exceptions = list {
      FanOutPlan.Exception(
        connection: $0.word(), share: FanOutPlan.Share(bits: $0.word() & all.bits))
    }
    return FanOutPlan(
      channelURL: text(), payloads: payloads,
      common: FanOutPlan.Share(bits: word() & all.bits), exceptions: exceptions)
  }

  mutating func importTime() -> Int64 { .random(in: Limits.importTimes, using: &random) }

  mutating func ticket() -> CallTicket {
    CallTicket(unit: Int(position()), index: -count())
  }

  mutating func order() -> MessageOrder {
    MessageOrder(
      flag() ? .success(draft()) : .failure(error()), requestID: optional { $0.text() },
      upload: optional {
        FileRecord(
          id: $0.text(), name: $0.text(), type: $0.text(), size: $0.integer(),
          url: $0.optional { $0.text() })
      }, arrival: position(), userFlood: optional { $0.error() })
  }

  mutating func draft() -> MessageDraft {
    var draft = MessageDraft(
      type: choice(MessageType.allCases), text: text(),
      file: optional {
        MessageFile(
          url: $0.text(), name: $0.text(), type: $0.text(), size: $0.integer(),
          thumbnails: $0.list { $0.thumbnail() })
      }, data: text(), customType: text(), mentionType: choice(MentionType.allCases),
      mentionedUserIDs: texts(), metaArrays: metaArrays(), pushOption: choice(PushOption.allCases),
      thumbnailSizes: optional { $0.list { .init(maxWidth: $0.number(), maxHeight: $0.number()) } },
      translationLanguages: texts())
    draft.push = optional { samples in
      PushIntent(
        samples.optional { PushMessageTemplate(title: $0.text(), body: $0.optional { $0.text() }) })
    }
    return draft
  }

  mutating func thumbnail() -> MessageThumbnail {
    MessageThumbnail(
      url: text(), type: text(), size: integer(),
      bounds: .init(maxWidth: number(), maxHeight: number()), width: number(),
      height: number())
  }

  mutating func changes() -> MessageChanges {
    MessageChanges(
      text: optional { $0.text() }, data: optional { $0.text() },
      customType: optional { $0.text() },
      mentionType: optional { $0.choice(MentionType.allCases) },
      mentionedUserIDs: optional { $0.texts() })
  }

  mutating func messageList(_ anchor: MessageAnchor) -> MessageList {
    MessageList(
      channelURL: text(), anchor: anchor, previousLimit: pageSize(), nextLimit: pageSize(),
      includesAnchor: flag(), isReversed: flag(),
      filter: MessageFilter(
        type: optional { $0.choice(MessageType.allCases) }, customTypes: texts(),
        senderIDs: texts(), mentionedUserID: optional { $0.text() },
        hasFile: optional { $0.flag() },
        hasLink: optional { $0.flag() }, updatedSince: optional { $0.integer() },
        from: optional { $0.integer() }, to: optional { $0.integer() }))
  }

  mutating func fields() -> ChannelFields {
    ChannelFields(
      name: optional { $0.text() }, coverURL: optional { $0.text() }, data: optional { $0.text() },
      customType: optional { $0.text() }, operatorIDs: optional { $0.texts() },
      isPublic: optional { $0.flag() }, accessCode: optional { $0.text() })
  }

  mutating func restriction() -> ChannelRestriction {
    ChannelRestriction(userID: text(), seconds: seconds(), description: text())
  }

  mutating func metaArrays() -> [MetaArray] {
    list { MetaArray(key: $0.text(), values: $0.texts()) }
  }

  mutating func channel() -> Channel {
    Channel(
      url: text(), name: text(), coverURL: text(), data: text(), customType: text(),
      isEphemeral: flag(), isFrozen: flag(), operators: list { $0.user() }, metadata: metadata(),
      survivalSeconds: optional { $0.survivalSeconds() }, createdAt: integer(),
      group: optional { $0.group() })
  }

  mutating func group() -> Group {
    Group(
      isDistinct: flag(), isPublic: flag(), isSuper: flag(), accessCode: text(),
      createdBy: optional { $0.user() }, memberCount: count(), joinedCount: count())
  }

  mutating func groupMembers() -> GroupMembers {
    GroupMembers(
      channelURL: text(), state: optional { $0.choice(MemberState.allCases) }, limit: pageSize(),
      token: optional { $0.text() })
  }

  mutating func user() -> User {
    User(id: text(), nickname: text(), profileURL: text(), metadata: metadata())
  }

  mutating func enterRequest() -> EnterRequest {
    EnterRequest(
      principal: principal(),
      recover: optional { StreamPosition(epoch: $0.text(), seq: $0.position()) }, address: reply())
  }

  mutating func principal() -> SessionPrincipal {
    SessionPrincipal(
      user: user(), session: session(), hookSession: optional { $0.hookSession() })
  }

  mutating func hookSession() -> HookSession {
    HookSession(
      id: optional { $0.text() }, address: text(), over: choice(HookSession.Carrier.allCases))
  }

  mutating func outcome() -> CallOutcome { .success(bytes()) }

  mutating func error() -> ServiceError {
    ServiceError(
      ErrorCode(rawValue: number()), text(),
      data: ErrorDetails(
        field: optional { $0.text() }, retryAfterMilliseconds: optional { $0.integer() },
        limit: optional { $0.integer() }, windowMilliseconds: optional { $0.integer() },
        scope: optional { $0.text() }, outcome: optional { $0.text() },
        reason: optional { $0.text() }, unsupported: optional { $0.texts() },
        application: optional { "{\"a\":\($0.integer())}" }))
  }

  mutating func reply() -> ReplyAddress {
    let document = try? JSONDocument(Array(#"["one\n","",-7]"#.utf8))
    let identifiers = document?.root.elements.compactMap { RPCIdentifier($0) } ?? []
    return ReplyAddress(
      session: session(), ticket: ticket(),
      id: optional { $0.choice(identifiers) }, isPaid: flag(), limit: number())
  }

  mutating func session() -> SessionAddress {
    SessionAddress(server: half(), shard: half(), connection: word())
  }

  mutating func report(_ subject: AbuseReportSubject) -> AbuseReportDraft {
    let category = choice(AbuseReportCategory.allCases)
    let reason = AbuseReportReason(category, customCategory: text(), description: text())
    return AbuseReportDraft(channelURL: text(), subject, reason)
  }

  mutating func seat() -> Seat { Seat(userID: text(), session: session()) }

  mutating func shardAddress() -> ShardAddress {
    ShardAddress(server: half(), shard: half())
  }

  mutating func exchange() -> ExchangeAddress {
    let trace = optional { CallTrace(requestID: "edge-\($0.word())", traceParent: nil) } ?? nil
    return .init(shard: shardAddress(), connection: word(), number: word(), trace: trace)
  }

  mutating func poll() -> PollAddress {
    PollAddress(shard: shardAddress(), number: word(), part: half())
  }

  // MARK: Values

  mutating func flag() -> Bool { .random(using: &random) }
  mutating func half() -> UInt16 { .random(in: 0 ... .max, using: &random) }
  mutating func word() -> UInt64 { .random(in: 0 ... .max, using: &random) }
  mutating func integer() -> Int64 { .random(in: .exactIntegers, using: &random) }
  mutating func number() -> Int { Int(integer()) }
  mutating func position() -> Int64 { .random(in: .positions, using: &random) }
  mutating func count() -> Int { Int(Int64.random(in: .counts, using: &random)) }
  mutating func seconds() -> Int64 { .random(in: .restrictionSeconds, using: &random) }
  mutating func survivalSeconds() -> Int64 {
    .random(in: Limits.survivalSeconds, using: &random)
  }
  mutating func pageSize() -> Int {
    Int(Int64.random(in: Limits.pageSizes, using: &random))
  }

  mutating func bytes() -> [UInt8] {
    (0..<Int.random(in: 0...20, using: &random)).map { _ in .random(in: 0...255, using: &random) }
  }

  mutating func text() -> String {
    let scalars = Array("aZ0-_ é\u{301}日🎈\"\\\n\u{0}".unicodeScalars)
    var text = ""
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      text.unicodeScalars.append(choice(scalars))
    }
    return text
  }

  mutating func texts() -> [String] { list { $0.text() } }

  mutating func groupCreation() -> GroupCreation {
    GroupCreation(channel(), inviting: texts(), memberLimit: count())
  }

  mutating func metadata() -> [String: String] {
    var metadata: [String: String] = [:]
    for _ in 0..<Int.random(in: 0...metadataLimit, using: &random) { metadata[text()] = text() }
    return metadata
  }

  mutating func choice<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &random)]
  }

  mutating func list<Value>(_ make: (inout Self) -> Value) -> [Value] {
    (0..<Int.random(in: 0...3, using: &random)).map { _ in make(&self) }
  }

  mutating func optional<Value>(_ make: (inout Self) -> Value) -> Value? {
    flag() ? make(&self) : nil
  }
}
