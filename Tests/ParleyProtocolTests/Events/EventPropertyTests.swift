import ParleyProtocol
import TestSupport
import Testing

/// Random events, small enough that nothing is left out of them.
private struct RandomEvents {
  var random: SeededGenerator

  private let alphabet: [Unicode.Scalar] = [
    "a", "Z", " ", "\"", "\\", "/", "\u{1}", "\n", "\u{7f}", "é", "語", "\u{2028}", "😀",
  ]

  mutating func text(_ limit: Int = 12) -> String {
    let count = Int.random(in: 0...limit, using: &random)
    return String(
      String.UnicodeScalarView((0..<count).map { _ in one(of: alphabet) }))
  }

  mutating func one<Value>(of values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &random)]
  }

  mutating func some<Value>(_ make: (inout RandomEvents) -> Value) -> Value? {
    Bool.random(using: &random) ? make(&self) : nil
  }

  mutating func list<Value>(_ make: (inout RandomEvents) -> Value) -> [Value] {
    let count = Int.random(in: 0...4, using: &random)
    return (0..<count).map { _ in make(&self) }
  }

  mutating func number() -> Int64 {
    Int64.random(in: 0...Limits.messageIDs.upperBound, using: &random)
  }

  mutating func count() -> Int { Int.random(in: 0...100_000, using: &random) }

  mutating func user() -> User { User(id: text(), nickname: text(), profileURL: text()) }

  mutating func preview() -> OpenGraphTag {
    OpenGraphTag(
      title: some { $0.text() }, url: some { $0.text() }, description: some { $0.text() },
      image: some {
        OpenGraphImage(
          url: $0.some { $0.text() }, secureURL: $0.some { $0.text() }, type: $0.some { $0.text() },
          width: Int32.random(in: 0 ... .max, using: &$0.random),
          height: Int32.random(in: 0 ... .max, using: &$0.random), alt: $0.some { $0.text() })
      })
  }

  mutating func message() -> Message {
    Message(
      id: number(), type: one(of: MessageType.allCases),
      channelURL: text(), user: some { $0.user() }, text: text(),
      file: some {
        MessageFile(url: $0.text(), name: $0.text(), type: $0.text(), size: $0.number())
      },
      data: text(), customType: text(),
      mentionType: one(of: MentionType.allCases),
      mentionedUsers: list { $0.user() },
      metaArrays: list { MetaArray(key: $0.text(), values: $0.list { $0.text() }) },
      openGraphTag: some { $0.preview() },
      translations: Dictionary(list { ($0.text(), $0.text()) }) { first, _ in first },
      requestID: text(), createdAt: number(), updatedAt: number(), ordinal: some { $0.number() })
  }

  mutating func channel() -> ChannelInfo {
    ChannelInfo(
      Channel(
        url: text(), name: text(), coverURL: text(), data: text(), customType: text(),
        isEphemeral: Bool.random(using: &random), isFrozen: Bool.random(using: &random),
        operators: list { $0.user() }, createdAt: number()),
      participantCount: count(), maxMessageLength: count())
  }

  /// A user in a place where its picture is left out.
  mutating func bareUser() -> User { User(id: text(), nickname: text()) }

  /// A group as clients see it: without its access code, and with no count of participants.
  mutating func group() -> ChannelInfo {
    var info = channel()
    info.participantCount = 0
    info.channel.group = Group(
      isDistinct: Bool.random(using: &random), isPublic: Bool.random(using: &random),
      createdBy: some { $0.bareUser() }, memberCount: count(), joinedCount: count())
    return info
  }

  mutating func numbers() -> GroupNumbers {
    GroupNumbers(
      unreadMessageCount: number(), unreadMentionCount: number(), unreadChannelCount: number(),
      invitationCount: number())
  }

  mutating func membership() -> Event.Membership {
    Event.Membership(of: user(), memberCount: count(), joinedCount: count())
  }

  mutating func own() -> OwnMembership {
    let member = Member(
      user: user(), state: one(of: MemberState.allCases), invitedAt: number(), joinedAt: number(),
      visibleFrom: number(),
      position: ReadPosition(ordinal: number(), readAt: number(), floor: number()),
      hiding: one(of: [.unhidden, .archived, .untilMessage(after: number())]),
      countPreference: one(of: CountPreference.allCases))
    return OwnMembership(
      member, inviter: some { $0.bareUser() }, isOperator: Bool.random(using: &random),
      mutedUntil: some { $0.number() } ?? 0, lastOrdinal: number(), unreadCount: number(),
      unreadMentionCount: number())
  }

  mutating func mentions() -> MessageMentions? {
    MessageMentions(one(of: MentionType.allCases), list { $0.text() })
  }

  mutating func deletion() -> Event.Deletion {
    var deletion = Event.Deletion(messageID: number())
    deletion.ordinal = some { $0.number() }
    deletion.senderID = some { $0.text() }
    deletion.mentions = some { $0.mentions() } ?? nil
    return deletion
  }

  mutating func shown(_ message: Message) -> EventMessage {
    Bool.random(using: &random) ? EventMessage(message) : EventMessage(encoding: message)
  }

  mutating func restriction() -> Event.Restriction {
    Event.Restriction(
      user: user(), seconds: Int64.random(in: -1...1_000_000, using: &random), description: text())
  }

  mutating func presence() -> Event.Presence {
    Event.Presence(user: user(), participantCount: count())
  }

  mutating func origin(_ event: Event) -> EventOrigin {
    EventOrigin(
      channelURL: "c" + text(), seq: event.isDurable ? number() : nil, timestamp: number())
  }

  /// One event of each name.
  mutating func report(_ type: AbuseReportType, of message: Message) -> AbuseReport {
    // A report has neither the preview nor the mark of one that is being fetched.
    AbuseReport(
      id: number(), type: type,
      reason: AbuseReportReason(
        one(of: AbuseReportCategory.allCases), customCategory: text(), description: text()),
      reporter: some { $0.user() }, offender: some { $0.user() },
      message: type == .message ? shown(message).message : nil,
      channel: ReportedChannel(
        url: text(), kind: one(of: ChannelKind.allCases), name: text(), customType: text()),
      createdAt: number(), state: one(of: AbuseReportState.allCases), note: text(),
      closedAt: count() % 2 == 0 ? 0 : 1_700)
  }

  mutating func all(_ message: Message, _ channel: ChannelInfo) -> [Event] {
    [
      .messageReceived(shown(message)), .messageUpdated(shown(message)),
      .messageDeleted(deletion()), .channelCreated(channel),
      .channelChanged(channel), .channelDeleted(channel),
      .channelFrozen(channel), .channelUnfrozen(channel),
      .userMuted(restriction()), .userUnmuted(.init(user: user())), .userBanned(restriction()),
      .userUnbanned(.init(user: user())), .operatorsChanged(.init(list { $0.user() })),
      .groupCreated(channel),
      .groupInvited(
        .init(by: some { $0.bareUser() }, of: list { $0.user() }, to: channel)),
      .groupJoined(membership()), .groupDeclined(membership()),
      .groupLeft(.init(membership(), one(of: DepartureReason.allCases))),
      .groupMemberCount(.init(all: count(), joined: count())),
      .groupLost(.init(one(of: DepartureReason.allCases))), .groupReady(.init(token: text())),
      .groupTotals(
        .init(numbers(), byCustomType: ["": numbers(), "t\"": numbers()])),
      .groupUnread(own()), .groupHidden(own()), .groupUnhidden(own()),
      .groupRead(
        .init(
          list { .init(by: $0.text(), readAt: $0.number(), messageID: $0.some { $0.number() }) })),
      .groupDelivered(.init(list { .init(by: $0.text(), readAt: $0.number()) })),
      .groupTyping(.init(userIDs: list { $0.text() }, hasMore: count() % 2 == 0)),
      .userEntered(presence()), .userExited(presence()), .participantCount(.init(count())),
      .throttled(
        .init(withheld: count(), firstMessageID: number(), lastMessageID: number())),
      .messageWithheld(.init(messageID: number(), count: count())),
      .mentionReceived(shown(message)), .sessionExpiring(.init(expiresAt: number())),
      .sessionFileKey(.init(key: "k", expiresAt: number())),
      .serverDraining(.init(reconnectAfter: number())),
    ] + AbuseReportType.allCases.map { .reported(report($0, of: message)) }
  }
}

@Suite("Events that are written and read back")
struct EventPropertyTests {
  private func events(
    _ seed: UInt64
  ) -> (message: Message, channel: ChannelInfo, all: [(event: Event, origin: EventOrigin)]) {
    var random = RandomEvents(random: SeededGenerator(seed: seed))
    let message = random.message()
    let channel = Bool.random(using: &random.random) ? random.channel() : random.group()
    return (message, channel, random.all(message, channel).map { ($0, random.origin($0)) })
  }

  @Test("include every name")
  func names() {
    #expect(Set(events(1).all.map(\.event.name)) == Set(EventName.allCases))
  }

  @Test("are unchanged through the socket", arguments: 1...100)
  func socket(seed: UInt64) throws {
    for (event, origin) in events(seed).all {
      let output = try RPCOutput.parse(event.notification(from: origin))
      guard case .notification(let method, let params?) = output.first else {
        Issue.record("no notification")
        return
      }
      let name = try #require(EventName(rawValue: method))
      #expect(try Event(name, params: params) == event)
      #expect(try EventOrigin(json: params) == origin)
    }
  }

  @Test("are unchanged through a webhook", arguments: 1...100)
  func webhook(seed: UInt64) throws {
    for (event, origin) in events(seed).all {
      let root = try JSONDocument(event.webhookEvent(from: origin)).root
      let name = try #require(root["event"]?.string.flatMap(EventName.init(rawValue:)))
      #expect(try Event(name, params: root) == event)
      #expect(try EventOrigin(json: root) == origin)
    }
  }

  @Test("are unchanged through the log, if they are durable", arguments: 1...100)
  func log(seed: UInt64) throws {
    let (message, channel, all) = events(seed)
    for (event, _) in all {
      guard let logged = LoggedEvent(event, seq: 7, timestamp: 9) else {
        #expect(!event.isDurable)
        continue
      }
      #expect(event.isDurable && logged.name == event.name)
      #expect((logged.seq, logged.timestamp) == (7, 9))
      switch event {
      case .messageReceived, .messageUpdated: #expect(logged.messageID == message.id)
      case .messageDeleted(let deletion): #expect(logged.messageID == deletion.messageID)
      default: #expect(try logged.event(in: channel) == event)
      }
    }
  }

  @Test("keep all fields of messages and channels", arguments: 1...100)
  func resources(seed: UInt64) throws {
    let (message, channel, all) = events(seed)
    for (event, origin) in all {
      let params = try JSONDocument(event.webhookEvent(from: origin)).root
      switch try Event(event.name, params: params) {
      case .messageReceived(let read), .messageUpdated(let read), .mentionReceived(let read):
        #expect(read.message == message)
      case .channelChanged(let read), .channelFrozen(let read): #expect(read == channel)
      default: break
      }
    }
  }

  @Test("are written identically from a value and from its bytes", arguments: 1...20)
  func encoded(seed: UInt64) {
    let (message, _, all) = events(seed)
    let origin = all[0].origin
    let later = EventMessage(message)
    let now = EventMessage(encoding: message)
    let pairs: [(Event, Event)] = [
      (.messageReceived(later), .messageReceived(now)),
      (.messageUpdated(later), .messageUpdated(now)),
      (.mentionReceived(later), .mentionReceived(now)),
    ]
    for (left, right) in pairs {
      #expect(left == right && left.hashValue == right.hashValue)
      #expect(left.notification(from: origin) == right.notification(from: origin))
      #expect(left.webhookEvent(from: origin) == right.webhookEvent(from: origin))
    }
  }

  @Test("differ when any of their parts differs", arguments: 1...20)
  func different(seed: UInt64) {
    let all = events(seed).all.map(\.event)
    for (index, event) in all.enumerated() {
      for other in all.indices where other != index { #expect(event != all[other]) }
    }
    var (message, channel, _) = events(seed)
    let before = Event.messageUpdated(EventMessage(message))
    let shown = Event.channelChanged(channel)
    message.updatedAt += 1
    channel.participantCount += 1
    #expect(before != .messageUpdated(EventMessage(message)))
    #expect(shown != .channelChanged(channel))
  }

  @Test(
    "are refused without their required members, which are named",
    arguments: EventName.allCases)
  func refused(name: EventName) throws {
    let empty = try JSONDocument("{}").root
    let error = try #require(throws: ResourceError.self) { try Event(name, params: empty) }
    #expect(error.resource == name.rawValue && error.member != nil)
    #expect(throws: ResourceError.self) {
      try Event(name, params: JSONDocument("[]").root)
    }
    let wrong = """
      {"message":1,"message_id":"7","channel":[],"user":"jeff","operators":{},
      "user_ids":"ada","reads":[7],"participant_count":-1,"users":{},"reason":"x","withheld":1.5,
      "expires_at":null,"reconnect_after_ms":[],"token":1}
      """
    #expect(throws: ResourceError.self) { try Event(name, params: JSONDocument(wrong).root) }
  }
}
