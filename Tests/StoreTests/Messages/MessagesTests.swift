import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Messages in the store", .onEachDatabase, .onOwnThreads)
struct MessagesTests {
  private let tag = OpenGraphTag(
    title: "T", url: "https://a.b/", description: nil,
    image: OpenGraphImage(url: "https://a.b/c.png", width: 12, height: 5, alt: "x"))

  @Test("a message is read back as it was sent, with the current users")
  func keepsEverything() async throws {
    let fixture = try await Fixture()
    let message = NewMessage(
      channelID: fixture.lobby.id, id: 17_300_000_000_001, type: .file, userID: "ann",
      text: "caf\u{E9} \u{1} \u{1F600}", data: "{\"a\":1}", customType: "c", mentionType: .channel,
      mentionedUserIDs: ["cy", "nobody", "bob", "cy"],
      metaArrays: [MetaArray(key: "k", values: ["b", "a"]), MetaArray(key: "empty")],
      openGraphTag: tag, requestID: "r1", createdAt: 1_730_000_000_000)
    let outcome = try await fixture.store.append(message)
    let mentioned = [User(id: "cy", nickname: "Cy"), User(id: "bob", nickname: "Bob")]
    #expect(outcome == .stored(seq: 1, mentionedUsers: mentioned))
    let ann = try await fixture.store.write { try $0.upsertUser("ann", nickname: "A.", at: 2).user }
    let read = try await fixture.store.read {
      try $0.message(message.id, channelID: message.channelID)
    }
    let expected = Message(
      id: message.id, type: .file, channelURL: "lobby", user: ann, text: message.text,
      data: message.data, customType: "c", mentionType: .channel, mentionedUsers: mentioned,
      metaArrays: message.metaArrays, openGraphTag: tag, requestID: "r1",
      createdAt: message.createdAt)
    #expect(read == SequencedMessage(message: expected, seq: 1))
    let elsewhere = try await fixture.store.read { try $0.message(message.id, channelID: 99) }
    #expect(elsewhere == nil)
  }

  @Test("a file message keeps its file, and its author's role at that time, through edits")
  func keepsFiles() async throws {
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    let file = MessageFile(url: "https://a.b/c.png", name: "c.png", type: "image/png", size: .max)
    try await fixture.store.append(
      NewMessage(
        channelID: id, id: 1, type: .file, userID: "ann", text: "", file: file,
        isOperatorMessage: true, createdAt: 1_000))
    try await fixture.store.append(fixture.message(2))
    let edited = try await fixture.store.write {
      try $0.updateMessage(1, channelID: id, MessageChanges(data: "d"), at: 2_000)
    }
    #expect(edited.message.file == file)
    #expect(edited.message.isOperatorMessage)
    let read = try await fixture.store.read { transaction in
      try [Int64(1), 2].map { try transaction.message($0, channelID: id)?.message }
    }
    #expect(read.first == edited.message)
    #expect(read.last??.file == nil)
    #expect(read.last??.isOperatorMessage == false)
  }

  @Test("an admin message is listed by its type, edited and deleted like others")
  func keepsAdminMessages() async throws {
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    try await fixture.store.append(fixture.message(1))
    try await fixture.store.append(fixture.message(2, "closing soon", by: nil))
    let query = MessageQuery(channelID: id, anchor: .time(.max), filter: .init(type: .admin))
    let edited = try await fixture.store.write {
      try $0.updateMessage(2, channelID: id, MessageChanges(text: "closed"), at: 5)
    }
    #expect(edited.message.user == nil)
    #expect(try await fixture.store.read { try $0.listMessages(query) } == [edited.message])
    _ = try await fixture.store.write { try $0.deleteMessage(2, channelID: id, at: 6) }
    #expect(try await fixture.store.read { try $0.listMessages(query) } == [])
  }

  @Test("an admin message with the same request ID is stored once, even after its deletion")
  func recognisesAdminRepeats() async throws {
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    try await fixture.store.append(fixture.message(1, by: nil, requestID: "r", at: 1_000_000))
    let repeated = try await fixture.store.append(
      fixture.message(2, by: nil, requestID: "r", at: 1_000_001))
    guard case .repeated(let message, seq: 1) = repeated else {
      Issue.record("unexpected: \(repeated)")
      return
    }
    #expect(message.id == 1)
    let users = try await fixture.store.append(
      fixture.message(3, requestID: "r", at: 1_000_002))
    #expect(users == .stored(seq: 2, mentionedUsers: []))
    _ = try await fixture.store.write { try $0.deleteMessage(1, channelID: id, at: 1_000_003) }
    await #expect(throws: StoreError.notFound(.message)) {
      try await fixture.store.append(
        fixture.message(4, by: nil, requestID: "r", at: 1_000_004))
    }
  }

  @Test("a text with U+0000 is refused rather than cut off")
  func refusesNUL() async throws {
    let fixture = try await Fixture()
    let wrong = [
      fixture.message(1, "a\u{0}b"), fixture.message(2, by: "ann\u{0}"),
      fixture.message(3, requestID: "r\u{0}"),
    ]
    for message in wrong {
      await #expect(throws: StoreError.unstorableText) { try await fixture.store.append(message) }
    }
    await #expect(throws: StoreError.unstorableText) {
      try await fixture.store.read { try $0.user("ann\u{0}x") }
    }
    #expect(
      try await fixture.store.append(fixture.message(4)) == .stored(seq: 1, mentionedUsers: []))
  }

  @Test("an admin message has no author, and an author without a record has an ID")
  func namesAuthors() async throws {
    let fixture = try await Fixture()
    try await fixture.store.append(fixture.message(1, by: nil))
    try await fixture.store.append(fixture.message(2, by: "ghost"))
    let users = try await fixture.store.read { [lobby = fixture.lobby] transaction in
      try [Int64(1), 2].map { try transaction.message($0, channelID: lobby.id)?.message.user }
    }
    #expect(users == [nil, User(id: "ghost")])
  }

  @Test("a request repeated within ten minutes returns the first message")
  func recognisesRepeats() async throws {
    let fixture = try await Fixture()
    let first = try await fixture.store.append(
      fixture.message(1, "one", requestID: "r", at: 1_000_000))
    #expect(first == .stored(seq: 1, mentionedUsers: []))
    let repeated = try await fixture.store.append(
      fixture.message(2, "two", requestID: "r", at: 1_599_999))
    guard case .repeated(let message, seq: 1) = repeated else {
      Issue.record("unexpected: \(repeated)")
      return
    }
    #expect(message.text == "one")
    #expect(message.id == 1)
    let others = [
      fixture.message(3, by: "bob", requestID: "r", at: 1_600_000),
      fixture.message(4, requestID: "R", at: 1_600_000),
      fixture.message(5, by: nil, requestID: "r", at: 1_600_000),
      fixture.message(6, requestID: "", at: 1_600_000),
      fixture.message(7, requestID: "r", at: 1_600_000),
    ]
    for (index, other) in others.enumerated() {
      let outcome = try await fixture.store.append(other)
      #expect(outcome == .stored(seq: Int64(index) + 2, mentionedUsers: []))
    }
  }

  @Test("an edit changes the given fields and is recorded")
  func edits() async throws {
    let fixture = try await Fixture()
    try await fixture.store.append(fixture.message(1, "one"))
    let id = fixture.lobby.id
    let changes = MessageChanges(
      text: "two", mentionType: .channel, mentionedUserIDs: ["bob"])
    let edited = try await fixture.store.write {
      try $0.updateMessage(1, channelID: id, changes, preview: .replace(tag), at: 2_000)
    }
    #expect(edited.seq == 2)
    #expect(edited.message.text == "two")
    #expect(edited.message.updatedAt == 2_000)
    #expect(edited.message.createdAt == 1_000)
    #expect(edited.message.openGraphTag == tag)
    #expect(edited.message.mentionedUsers.map(\.nickname) == ["Bob"])
    let read = try await fixture.store.read { try $0.message(1, channelID: id) }
    #expect(read == SequencedMessage(message: edited.message, seq: 1))
    await #expect(throws: StoreError.notFound(.message)) {
      try await fixture.store.write { try $0.updateMessage(2, channelID: id, changes, at: 1) }
    }
  }

  @Test("a metaarray change is applied completely or not at all")
  func changesMetaArrays() async throws {
    struct Refusal: Error {}
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    try await fixture.store.append(fixture.message(1))
    let changed = try await fixture.store.write { transaction in
      try transaction.changeMetaArrays(1, channelID: id, at: 2_000) {
        $0.append(MetaArray(key: "games", values: ["soccer"]))
      }
    }
    #expect(changed.seq == 2)
    #expect(changed.message.updatedAt == 0)
    await #expect(throws: Refusal.self) {
      try await fixture.store.write { transaction in
        try transaction.changeMetaArrays(1, channelID: id, at: 3_000) {
          $0 = []
          throw Refusal()
        }
      }
    }
    let read = try await fixture.store.read { try $0.message(1, channelID: id) }
    #expect(read?.message.metaArrays == [MetaArray(key: "games", values: ["soccer"])])
  }

  @Test("a preview is added only to the text that it was made for")
  func setsPreviews() async throws {
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    try await fixture.store.append(fixture.message(1, "see a.b"))
    let results = try await fixture.store.write { [tag] transaction in
      try [
        transaction.setPreview(1, channelID: id, ifTextIs: "else", tag: tag, at: 1),
        transaction.setPreview(1, channelID: id, ifTextIs: "see a.b", tag: tag, at: 2),
        transaction.setPreview(1, channelID: id, ifTextIs: "see a.b", tag: tag, at: 3),
        transaction.setPreview(2, channelID: id, ifTextIs: "see a.b", tag: tag, at: 4),
        transaction.setPreview(1, channelID: id, ifTextIs: "see a.b", tag: nil, at: 5),
      ].map { $0.map { [$0.seq, $0.message.updatedAt] } }
    }
    #expect(results == [nil, [2, 0], nil, nil, [3, 0]])
  }

  @Test("translations are added to existing ones")
  func addsTranslations() async throws {
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    try await fixture.store.append(fixture.message(1, "hello"))
    let result = try await fixture.store.write { transaction in
      _ = try transaction.addTranslations(
        1, channelID: id, ifTextIs: "hello", ["de": "hallo"], at: 1)
      return try transaction.addTranslations(
        1, channelID: id, ifTextIs: "hello", ["fr": "salut"], at: 2)
    }
    #expect(result?.message.translations == ["de": "hallo", "fr": "salut"])
    #expect(result?.seq == 3)
  }

  @Test("repeating the request of a deleted message does not restore it for ten minutes")
  func withdrawsRequests() async throws {
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    try await fixture.store.append(fixture.message(1, requestID: "r", at: 1_000_000))
    _ = try await fixture.store.write {
      try $0.deleteMessage(1, channelID: id, at: 1_000_001)
    }
    await #expect(throws: StoreError.notFound(.message)) {
      try await fixture.store.append(fixture.message(2, requestID: "r", at: 1_599_999))
    }
    let later = try await fixture.store.append(
      fixture.message(3, requestID: "r", at: 1_600_000))
    #expect(later == .stored(seq: 3, mentionedUsers: []))
  }

  @Test("a deleted message is removed with its updates; its ID is not reused")
  func deletes() async throws {
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    try await fixture.store.append(fixture.message(7))
    let seq = try await fixture.store.write { transaction in
      _ = try transaction.updateMessage(7, channelID: id, MessageChanges(text: "x"), at: 2)
      return try transaction.deleteMessage(7, channelID: id, at: 3)
    }
    #expect(seq == 3)
    let (message, events, maximum) = try await fixture.store.read {
      (
        try $0.message(7, channelID: id), try $0.events(channelID: id, after: 0),
        try $0.maximumMessageID()
      )
    }
    #expect(message == nil)
    #expect(events == [.deleted(Event.Deletion(messageID: 7), seq: 3, timestamp: 3)])
    #expect(maximum == 7)
    await #expect(throws: StoreError.notFound(.message)) {
      try await fixture.store.write { try $0.deleteMessage(7, channelID: id, at: 4) }
    }
  }

  @Test("the largest ID is recorded when its message is deleted, and no other ID is")
  func notesMaximum() async throws {
    let fixture = try await Fixture()
    func note() async throws -> Int64? {
      try await fixture.store.read {
        try $0.connection.first("SELECT value FROM meta WHERE key = 'max_message_id'", []) {
          $0[0] as Int64
        }
      }
    }
    for id in Int64(1)...3 { try await fixture.store.append(fixture.message(id)) }
    for (id, expected) in [(Int64(2), nil), (3, 3), (1, 3)] as [(Int64, Int64?)] {
      _ = try await fixture.store.write { [lobby = fixture.lobby] in
        try $0.deleteMessage(id, channelID: lobby.id, at: 2_000)
      }
      #expect(try await note() == expected)
    }
    #expect(try await fixture.store.read { try $0.maximumMessageID() } == 3)
  }
}
