import ParleyProtocol
import TestSupport
import Testing

/// Texts that are long as JSON, up to the limits and beyond what events have room for.
private struct LongTexts {
  var random: SeededGenerator

  /// Control characters become six bytes, quotes two; others are one to four.
  private let alphabet: [Unicode.Scalar] = ["\u{1}", "\u{1f}", "\"", "\\", "a", "é", "語", "😀"]

  mutating func text(_ limit: Int) -> String {
    let count = Bool.random(using: &random) ? limit : Int.random(in: 0...limit, using: &random)
    // One character throughout is the worst and the most likely to find an edge.
    guard Bool.random(using: &random) else {
      return String(repeating: scalar(), count: count)
    }
    return String(String.UnicodeScalarView((0..<count).map { _ in scalar() }))
  }

  /// A text whose UTF-8 is at most so long.
  mutating func text(bytes limit: Int) -> String {
    let scalar = scalar()
    let size = String(scalar).utf8.count
    let count =
      Bool.random(using: &random) ? limit / size : Int.random(in: 0...limit / size, using: &random)
    return String(repeating: scalar, count: count)
  }

  mutating func user() -> User {
    User(
      id: text(Limits.userIDLength), nickname: text(Limits.nicknameLength),
      profileURL: text(Limits.profileURLLength), metadata: [text(128): text(190)])
  }

  mutating func users(_ limit: Int) -> [User] {
    let count = Int.random(in: 0...limit, using: &random)
    return (0..<count).map { _ in user() }
  }

  mutating func metaArrays() -> [MetaArray] {
    let limits = MetaArrayLimits()
    let count = Int.random(in: 0...limits.keyCount, using: &random)
    return (0..<count).map { _ in
      MetaArray(
        key: text(limits.keyLength),
        values: (0..<Int.random(in: 0...limits.valueCount, using: &random)).map { _ in
          text(limits.valueLength)
        })
    }
  }

  mutating func preview() -> OpenGraphTag? {
    guard Int.random(in: 0..<4, using: &random) > 0 else { return nil }
    return OpenGraphTag(
      title: text(1_024), url: text(2_048), description: text(4_096),
      image: Bool.random(using: &random)
        ? nil
        : OpenGraphImage(
          url: text(2_048), secureURL: text(2_048), type: text(128), width: .max, height: .max,
          alt: text(1_024)))
  }

  mutating func message() -> Message {
    Message(
      id: Limits.messageIDs.upperBound, type: Bool.random(using: &random) ? .user : .file,
      channelURL: String(repeating: "c", count: 100),
      user: Int.random(in: 0..<8, using: &random) == 0 ? nil : user(),
      text: text(Limits.messageLength),
      file: Bool.random(using: &random)
        ? nil
        : MessageFile(
          url: text(Limits.fileURLLength), name: text(Limits.fileNameLength),
          type: text(Limits.fileTypeLength), size: .max),
      data: text(bytes: CustomDataLimits.most.dataByteCount),
      customType: text(CustomDataLimits.most.customTypeLength),
      mentionType: .channel, mentionedUsers: users(Limits.platformMentionedUserCount),
      metaArrays: metaArrays(), openGraphTag: preview(),
      translations: Bool.random(using: &random) ? [:] : ["de": text(5_000), "ko": text(5_000)],
      requestID: text(Limits.requestIDLength), createdAt: Limits.timestamps.upperBound,
      updatedAt: Limits.timestamps.upperBound)
  }

  mutating func channel() -> Channel {
    Channel(
      url: String(repeating: "c", count: 100), name: text(Limits.channelNameLength),
      coverURL: text(Limits.coverURLLength),
      data: text(bytes: CustomDataLimits.most.dataByteCount),
      customType: text(CustomDataLimits.most.customTypeLength),
      operators: users(Limits.operatorCount),
      createdAt: Limits.timestamps.upperBound)
  }

  private mutating func scalar() -> Unicode.Scalar {
    alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
  }
}

extension String {
  fileprivate init(repeating scalar: Unicode.Scalar, count: Int) {
    self.init(String.UnicodeScalarView(repeatElement(scalar, count: count)))
  }
}

@Suite("Sizes of events")
struct EventSizeTests {
  private let origin = EventOrigin(
    channelURL: String(repeating: "c", count: 100), seq: Limits.messageIDs.upperBound,
    timestamp: Limits.timestamps.upperBound)

  private func texts(_ seed: UInt64) -> LongTexts {
    LongTexts(random: SeededGenerator(seed: seed))
  }

  @Test(
    "no event about a message is larger than 64 KiB, whatever its members are", arguments: 1...30)
  func messages(seed: UInt64) throws {
    var texts = texts(seed)
    let message = texts.message()
    let json = JSONWriter.bytes { message.encode(into: &$0) }
    let shown = EventMessage(message)
    let events: [Event] = [
      .messageReceived(shown), .messageUpdated(shown), .mentionReceived(shown),
    ]
    for event in events {
      #expect(event.notification(from: origin).count <= Limits.eventByteCount)
    }
    let read = try Message(json: JSONDocument(json).root)
    #expect(read.id == message.id && read.text == message.text && read.user?.id == message.user?.id)
  }

  @Test(
    "an accepted message keeps all of its own data, whichever users it contains", arguments: 1...30)
  func accepted(seed: UInt64) throws {
    var texts = texts(seed)
    var message = texts.message()
    message.translations = [:]
    let isAccepted = (try? MessageSize(message).check()) != nil
    let json = JSONWriter.bytes { message.encode(into: &$0) }
    let read = try Message(json: JSONDocument(json).root)
    #expect(!isAccepted || read.data == message.data && read.metaArrays == message.metaArrays)
    #expect(!isAccepted || (read.openGraphTag == nil) == (message.openGraphTag == nil))
    #expect(
      read.mentionedUsers.map(\.id)
        == message.mentionedUsers.prefix(read.mentionedUsers.count).map(\.id))
  }

  @Test("no event about a channel or user is larger than 64 KiB", arguments: 1...20)
  func channels(seed: UInt64) throws {
    var texts = texts(seed)
    let channel = texts.channel()
    let user = texts.user()
    let info = ChannelInfo(channel, participantCount: .max)
    let restriction = Event.Restriction(
      user: user, seconds: .max, description: texts.text(Limits.muteDescriptionLength))
    let presence = Event.Presence(user: user, participantCount: .max)
    let events: [Event] = [
      .channelChanged(info), .channelDeleted(info), .channelFrozen(info), .channelUnfrozen(info),
      .operatorsChanged(.init(texts.users(Limits.operatorCount))), .userMuted(restriction),
      .userBanned(restriction), .userUnmuted(.init(user: user)), .userUnbanned(.init(user: user)),
      .userEntered(presence), .userExited(presence),
    ]
    for event in events {
      #expect(event.notification(from: origin).count <= Limits.eventByteCount)
    }
    let isAccepted = (try? channel.checkSize()) != nil
    let read = try Channel(json: JSONDocument(info.encoded()).root)
    #expect(!isAccepted || read.data == channel.data)
  }

  @Test("no event about a group is larger than 64 KiB, whatever its users are", arguments: 1...30)
  func groups(seed: UInt64) throws {
    var texts = texts(seed)
    var channel = texts.channel()
    channel.group = Group(
      isDistinct: false, isPublic: false, accessCode: "code", createdBy: texts.user(),
      memberCount: .max, joinedCount: .max)
    let info = ChannelInfo(channel, participantCount: 0)
    let membership = Event.Membership(of: texts.user(), memberCount: .max, joinedCount: .max)
    let users = (0..<Limits.memberListCount).map { _ in texts.user() }
    let events: [Event] = [
      .channelChanged(info), .groupCreated(info),
      .groupInvited(.init(by: texts.user(), of: users, to: info)), .groupJoined(membership),
      .groupDeclined(membership), .groupLeft(.init(membership, .deletedUser)),
    ]
    for event in events {
      #expect(event.notification(from: origin).count <= Limits.eventByteCount)
      #expect(event.webhookEvent(from: origin).count <= Limits.eventByteCount)
    }
    let isAccepted = (try? channel.checkSize()) != nil
    let read = try Channel(json: JSONDocument(info.encoded()).root)
    #expect(!isAccepted || read.data == channel.data)
    #expect(read.group?.createdBy?.id == channel.group?.createdBy?.id)
  }

  @Test(
    "an invitation of 100 users to the largest group fits, and names as many users as it has room for",
    arguments: [("n", 0, 100), ("語", 0, 75), ("n", 100, 55), ("語", 100, 20)])
  func largestInvitation(letter: String, operatorCount: Int, atLeast least: Int) throws {
    func user(_ number: Int) -> User {
      let id = "\(number)"
      return User(
        id: id + String(repeating: letter, count: Limits.userIDLength - id.count),
        nickname: String(repeating: letter, count: Limits.nicknameLength),
        profileURL: String(repeating: "p", count: Limits.profileURLLength))
    }
    let users = (0..<Limits.memberListCount).map(user)
    let channel = Channel(
      url: String(repeating: "c", count: 100),
      name: String(repeating: "語", count: Limits.channelNameLength),
      coverURL: String(repeating: "u", count: Limits.coverURLLength),
      data: String(repeating: "d", count: CustomDataLimits().dataByteCount),
      customType: String(repeating: "é", count: CustomDataLimits().customTypeLength),
      operators: Array(users.prefix(operatorCount)), createdAt: 1,
      group: Group(createdBy: user(0), memberCount: 100, joinedCount: 1))
    try channel.checkSize()
    let event = Event.groupInvited(
      .init(by: user(0), of: users, to: ChannelInfo(channel, participantCount: 0)))
    let bytes = event.notification(from: origin)
    #expect(bytes.count <= Limits.eventByteCount)
    let shown = try #require(try JSONDocument(bytes).root["params"]?["users"])
    let ids = shown.elements.compactMap { $0["user_id"]?.string }
    #expect(ids == users.prefix(ids.count).map(\.id) && ids.count >= least, "\(ids.count)")
  }

  @Test("an event is the same after it is read and written again", arguments: 1...8)
  func rewriting(seed: UInt64) throws {
    var texts = texts(seed)
    let events: [Event] = [
      .messageReceived(EventMessage(texts.message())),
      .channelChanged(ChannelInfo(texts.channel(), participantCount: .max)),
      .operatorsChanged(.init(texts.users(Limits.operatorCount))),
    ]
    for event in events {
      let bytes = event.notification(from: origin)
      #expect(bytes.count <= Limits.eventByteCount)
      let params = try #require(try JSONDocument(bytes).root["params"])
      #expect(try Event(event.name, params: params).notification(from: origin) == bytes)
    }
  }

  @Test("text without escapes is accepted at the limits of all members together")
  func ordinaryLimits() throws {
    let value = String(repeating: "x", count: 160)
    let message = Message(
      id: 1, channelURL: "lobby", user: User(id: "jeff"),
      text: String(repeating: "語", count: Limits.messageLength),
      data: String(repeating: "d", count: CustomDataLimits().dataByteCount - 64),
      metaArrays: (0..<5).map { key in
        MetaArray(key: "key\(key)", values: (0..<20).map { String($0) + value })
      }, createdAt: 1)
    try MessageSize(message).check()
    let channel = Channel(
      url: "lobby", name: String(repeating: "語", count: Limits.channelNameLength),
      coverURL: String(repeating: "u", count: Limits.coverURLLength),
      data: String(repeating: "d", count: CustomDataLimits().dataByteCount),
      customType: String(repeating: "é", count: CustomDataLimits().customTypeLength), createdAt: 1)
    try channel.checkSize()
  }

  @Test("each member of custom data is accepted alone at the largest limit")
  func largestLimits() throws {
    let most = CustomDataLimits.most
    var message = Message(id: 1, channelURL: "lobby", user: nil, text: "x", createdAt: 1)
    message.data = String(repeating: "d", count: most.dataByteCount)
    try MessageSize(message).check()
    message.data = ""
    let value = String(repeating: "v", count: 30)
    let count = most.metaArrays.byteCount / value.utf8.count
    message.metaArrays = [MetaArray(key: "k", values: Array(repeating: value, count: count))]
    try MessageSize(message).check()
    let channel = Channel(
      url: "lobby", data: String(repeating: "d", count: most.dataByteCount), createdAt: 1)
    try channel.checkSize()
  }

  @Test("the refusal names the largest member, and the bytes")
  func refusal() throws {
    let message = Message(
      id: 1, channelURL: "lobby", user: nil, text: "x",
      data: String(repeating: "\u{1}", count: CustomDataLimits().dataByteCount), createdAt: 1)
    let error = try #require(throws: ServiceError.self) { try MessageSize(message).check() }
    #expect(error.code == .tooLong && error.data.field == "data")
    #expect(error.data.limit == Int64(Limits.messageByteCount))
    #expect(error.message.contains("99343"))
    // A change that makes it smaller is let through.
    var smaller = message
    smaller.data.unicodeScalars.removeLast(10)
    try MessageSize(smaller).check(after: MessageSize(message))
  }

  @Test("with many users the pictures are dropped first, then the last users")
  func fitting() {
    let users = (0..<10).map {
      User(id: "u\($0)", profileURL: String(repeating: "p", count: 100))
    }
    #expect(users.fitted(toBytes: 2_000) == users)
    let some = users.fitted(toBytes: 1_000)
    #expect(some.map(\.id) == users.map(\.id))
    #expect(
      some.map(\.profileURL.isEmpty) == [false, false, false, false, false]
        + Array(repeating: true, count: 5))
    let few = users.fitted(toBytes: 200)
    #expect(few == Array(users.prefix(few.count)).map { User(id: $0.id) })
    #expect(few.count == 4)
    #expect(users.fitted(toBytes: 0).isEmpty)
  }
}
