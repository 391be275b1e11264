import FloodControl
import LinkPreview
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: rules of link previews")
struct PreviewRuleTests {
  private let tag = OpenGraphTag(title: "A page")
  private let link = "https://a.example/page"
  private let rig: JudgeRig

  init() throws { rig = try JudgeRig(previews: [:]) }

  private func send(_ text: String, type: MessageType = .user) throws -> Int64 {
    try #require(try rig.perform(.send(text, type: type), by: "ann").sent).message.id
  }

  private func edit(_ id: Int64, _ text: String) throws -> Message? {
    try rig.perform(.updateMessage(id, MessageChanges(text: text)), by: "ann").changed
  }

  /// Ends the look-up of a message, the first being 0.
  private func found(_ index: Int, _ title: String) {
    rig.handle(.enriched(rig.enrichments[index].id, .preview(OpenGraphTag(title: title))))
    rig.answerAll()
  }

  private func title(_ event: ChannelEvent?) -> String? {
    event?.params?["message"]?["og_tag"]?["og:title"]?.string
  }

  @Test("the text beside a file has no preview, neither sent nor edited")
  func files() throws {
    let id = try send(link, type: .file)
    #expect(try edit(id, "see \(link)") != nil)
    #expect(rig.enrichments.isEmpty && rig.tally.previewsNone == 0)
    let known = try JudgeRig(previews: [link: .found(tag)])
    let file = try #require(try known.perform(.send("x", type: .file), by: "ann").sent).message.id
    let outcome = try known.perform(.updateMessage(file, MessageChanges(text: link)), by: "ann")
    #expect(outcome.changed?.openGraphTag == nil)
  }

  @Test("a message whose link is looked up says so, in its answer and its event alone")
  func pending() throws {
    let sent = try #require(try rig.perform(.send("see \(link)"), by: "ann").sent)
    #expect(sent.message.isPreviewPending)
    found(0, "A")
    let pending = rig.events.map { $0.params?["message"]?["og_pending"]?.bool }
    #expect(pending == [true, nil])
    let known = try JudgeRig(previews: [link: .found(tag)])
    let other = try #require(try known.perform(.send(link), by: "ann").sent)
    #expect(!other.message.isPreviewPending)
    let plain = try #require(try rig.perform(.send("no link"), by: "ann").sent)
    #expect(!plain.message.isPreviewPending)
  }

  @Test("the text of an admin message has, sent and edited")
  func admin() throws {
    let sent = try rig.perform(.send(link, type: .admin), by: .platform).sent
    let id = try #require(sent).message.id
    found(0, "A")
    let changes = MessageChanges(text: "https://b.example/")
    _ = try rig.perform(.updateMessage(id, changes), by: .platform)
    found(1, "B")
    #expect(rig.events.map(title) == [nil, "A", nil, "B"])
    #expect(rig.enrichments.map(\.authorID) == [nil, nil])
  }

  private func link(_ text: String) throws -> Link { try #require(Link(text)) }

  @Test("of several links the first counts")
  func firstLink() throws {
    _ = try send("see sendbird.com/x and \(link)")
    let expected = EnrichmentRequest.Subject.preview(
      try link("http://sendbird.com/x"), otherwise: [try link(link)])
    #expect(rig.enrichments.map(\.subject) == [expected])
  }

  @Test("links that are known to have no preview are passed over, up to three in all")
  func emptyLinks() throws {
    let text = "https://a.com https://b.com https://a.com#x https://c.com https://d.com"
    let first = try JudgeRig(previews: ["https://a.com/": .none])
    _ = try first.perform(.send(text), by: "ann")
    let expected = EnrichmentRequest.Subject.preview(
      try link("https://b.com/"), otherwise: [try link("https://c.com/")])
    #expect(first.enrichments.map(\.subject) == [expected])
    let second = try JudgeRig(previews: ["https://a.com/": .none, "https://b.com/": .found(tag)])
    let sent = try #require(try second.perform(.send(text), by: "ann").sent)
    #expect(sent.message.openGraphTag == tag && second.enrichments.isEmpty)
    let none = try JudgeRig(
      previews: ["https://a.com/": .none, "https://b.com/": .none, "https://c.com/": .none])
    _ = try none.perform(.send(text), by: "ann")
    #expect(none.enrichments.isEmpty && none.tally.previewsNone == 1)
  }

  @Test("an edit takes the preview away and looks the new link up; none is left without a link")
  func edited() throws {
    let id = try send(link)
    found(0, "A")
    #expect(try edit(id, "https://b.example/")?.openGraphTag == nil)
    found(1, "B")
    #expect(title(rig.events.last) == "B")
    #expect(try edit(id, "no link")?.openGraphTag == nil)
    #expect(rig.enrichments.count == 2 && rig.isIdle)
  }

  @Test("what comes for the text of before comes to nothing, what comes for the new one is shown")
  func lateForEdited() throws {
    let id = try send(link)
    _ = try edit(id, "https://b.example/")
    found(1, "B")
    found(0, "A")
    #expect(rig.events.compactMap(title) == ["B"] && rig.isIdle)
    #expect(rig.tally.previewsUpdated == 1)
  }

  @Test("a text that came back has its preview, and one update tells of it")
  func cameBack() throws {
    let id = try send(link)
    _ = try edit(id, "other")
    _ = try edit(id, link)
    found(0, "A")
    found(1, "A")
    #expect(rig.events.compactMap(title) == ["A"] && rig.isIdle)
  }

  @Test("an edit that waits for the log wins over the preview that came meanwhile")
  func editUnderWay() throws {
    let id = try send(link)
    let call = rig.begin(
      .updateMessage(id, MessageChanges(text: "no link")), by: .participant("ann"))
    rig.answerNext()
    rig.handle(.enriched(rig.enrichments[0].id, .preview(tag)))
    rig.answerAll()
    #expect(rig.answers[call]?.changed?.openGraphTag == nil)
    #expect(rig.events.compactMap(title).isEmpty && rig.isIdle)
  }

  @Test("an edit behind the preview's own update keeps the preview when the text stays")
  func editBehind() throws {
    let id = try send(link)
    rig.handle(.enriched(rig.enrichments[0].id, .preview(tag)))
    let call = rig.begin(
      .updateMessage(id, MessageChanges(data: "d")), by: .participant("ann"))
    rig.answerAll()
    #expect(rig.answers[call]?.changed?.openGraphTag == tag)
    #expect(rig.events.compactMap(title) == ["A page", "A page"])
  }

  @Test("extra data leaves the preview and its look-up alone")
  func extraData() throws {
    let id = try send(link)
    _ = try rig.perform(.changeMetaArrays(ofMessage: id, .createKeys(["k"])), by: "ann")
    found(0, "A")
    let arrays = rig.events.last?.params?["message"]?["sorted_metaarray"]?.elements
    #expect(title(rig.events.last) == "A" && arrays.map { Array($0).count } == 1)
    #expect(rig.enrichments.count == 1)
  }

  @Test("an update of the server's own goes to every connection and sets no edit time")
  func update() throws {
    let id = try send(link)
    rig.now += 700
    found(0, "A")
    let event = try #require(rig.events.last)
    #expect(event.author == nil && event.seq == 2 && event.timestamp == rig.now)
    #expect(event.params?["message"]?["updated_at"]?.integer == 0)
    guard case .update(ofMessage: id) = event.subject else { return #expect(Bool(false)) }
    #expect(rig.tally.updated == 0 && rig.sendCheck(of: "ann", at: rig.now).changes.used == 0)
  }

  @Test("a preview that could not be stored is given up, and nobody waits")
  func failedWrite() throws {
    _ = try send(link)
    rig.handle(.enriched(rig.enrichments[0].id, .preview(tag)))
    rig.answerNext()
    rig.failNext(.unavailable("disk full"))
    #expect(rig.events.count == 1 && rig.isIdle && rig.tally.previewsUpdated == 0)
  }

  @Test(
    "a preview whose write broke off is published when it is there after all",
    arguments: [true, false])
  func unknownWrite(isWritten: Bool) throws {
    _ = try send(link)
    rig.handle(.enriched(rig.enrichments[0].id, .preview(tag)))
    rig.answerNext()
    rig.failNext(.unknown("cut off"), isWritten: isWritten)
    rig.answerAll()
    #expect(rig.events.compactMap(title) == (isWritten ? ["A page"] : []) && rig.isIdle)
  }

  @Test("a preview that comes after the channel's end comes to nothing")
  func deletedChannel() throws {
    _ = try send(link)
    _ = try rig.perform(.delete, by: .platform)
    rig.handle(.enriched(rig.enrichments[0].id, .preview(tag)))
    #expect(rig.requests.isEmpty && rig.tally.previewsNone == 1 && rig.isIdle)
  }

  @Test("a look-up is ended once, whatever comes later")
  func endsOnce() throws {
    _ = try send(link)
    for _ in 0..<2 { rig.handle(.enriched(rig.enrichments[0].id, nil)) }
    found(0, "A")
    #expect(rig.events.count == 1 && rig.tally.previewsNone == 1)
  }

  @Test("a message that was refused or failed is not looked up")
  func failed() throws {
    rig.begin(.send(link), by: .participant("ann"))
    rig.failNext(.unavailable(""))
    #expect(try rig.perform(.send(link), by: "away").code == .notInChannel)
    #expect(rig.enrichments.isEmpty)
  }

  @Test("a repeated send is not looked up again")
  func repeated() throws {
    for _ in 0..<2 { _ = try rig.perform(.send(link, "r"), by: "ann") }
    #expect(rig.enrichments.count == 1)
    found(0, "A")
    let again = try rig.perform(.send(link, "r"), by: "ann").sent
    #expect(again?.message.openGraphTag?.title == "A")
  }

  @Test("many messages with a link are each updated")
  func manyMessages() throws {
    let ids = [try send(link), try send(link)]
    found(1, "A")
    found(0, "A")
    let updated = rig.events.suffix(2).map { $0.params?["message"]?["message_id"]?.integer }
    #expect(updated == [ids[1], ids[0]])
  }

  @Test("a known preview after an edit comes with the answer, and no update follows")
  func knownAfterEdit() throws {
    let known = try JudgeRig(previews: [link: .found(tag)])
    let id = try #require(try known.perform(.send("x"), by: "ann").sent).message.id
    let outcome = try known.perform(.updateMessage(id, MessageChanges(text: link)), by: "ann")
    #expect(outcome.changed?.openGraphTag == tag && known.enrichments.isEmpty)
    #expect(known.events.count == 2 && known.tally.previewsAttached == 1)
  }
}
