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

  @Test("text beside a file gets no preview, neither when sent nor when edited")
  func files() throws {
    let id = try send(link, type: .file)
    #expect(try edit(id, "see \(link)") != nil)
    #expect(rig.enrichments.isEmpty && rig.tally.previewsNone == 0)
    let known = try JudgeRig(previews: [link: .found(tag)])
    let file = try #require(try known.perform(.send("x", type: .file), by: "ann").sent).message.id
    let outcome = try known.perform(.updateMessage(file, MessageChanges(text: link)), by: "ann")
    #expect(outcome.changed?.openGraphTag == nil)
  }

  @Test("a message whose link is looked up is marked only in its response and its event")
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

  @Test("text of an admin message gets a preview, when sent and when edited")
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

  @Test("of several links the first one is used")
  func firstLink() throws {
    _ = try send("see sendbird.com/x and \(link)")
    let expected = EnrichmentRequest.Subject.preview(
      try link("http://sendbird.com/x"), otherwise: [try link(link)])
    #expect(rig.enrichments.map(\.subject) == [expected])
  }

  @Test("links known to have no preview are skipped, up to three")
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

  @Test("an edit removes the preview and looks up the new link; without a link there is none")
  func edited() throws {
    let id = try send(link)
    found(0, "A")
    #expect(try edit(id, "https://b.example/")?.openGraphTag == nil)
    found(1, "B")
    #expect(title(rig.events.last) == "B")
    #expect(try edit(id, "no link")?.openGraphTag == nil)
    #expect(rig.enrichments.count == 2 && rig.isIdle)
  }

  @Test("a preview for the old text is discarded, the one for the new text is shown")
  func lateForEdited() throws {
    let id = try send(link)
    _ = try edit(id, "https://b.example/")
    found(1, "B")
    found(0, "A")
    #expect(rig.events.compactMap(title) == ["B"] && rig.isIdle)
    #expect(rig.tally.previewsUpdated == 1)
  }

  @Test("a text that was restored gets its preview, in one update")
  func cameBack() throws {
    let id = try send(link)
    _ = try edit(id, "other")
    _ = try edit(id, link)
    found(0, "A")
    found(1, "A")
    #expect(rig.events.compactMap(title) == ["A"] && rig.isIdle)
  }

  @Test("an edit waiting for the log wins over a preview that arrives in the meantime")
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

  @Test("an edit queued after the preview's update keeps the preview if the text is unchanged")
  func editBehind() throws {
    let id = try send(link)
    rig.handle(.enriched(rig.enrichments[0].id, .preview(tag)))
    let call = rig.begin(
      .updateMessage(id, MessageChanges(data: "d")), by: .participant("ann"))
    rig.answerAll()
    #expect(rig.answers[call]?.changed?.openGraphTag == tag)
    #expect(rig.events.compactMap(title) == ["A page", "A page"])
  }

  @Test("changes of extra data leave the preview and its lookup unchanged")
  func extraData() throws {
    let id = try send(link)
    _ = try rig.perform(.changeMetaArrays(ofMessage: id, .createKeys(["k"])), by: "ann")
    found(0, "A")
    let arrays = rig.events.last?.params?["message"]?["sorted_metaarray"]?.elements
    #expect(title(rig.events.last) == "A" && arrays.map { Array($0).count } == 1)
    #expect(rig.enrichments.count == 1)
  }

  @Test("a preview update goes to every connection and does not set updated_at")
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

  @Test("a preview that could not be stored is dropped, and no caller waits")
  func failedWrite() throws {
    _ = try send(link)
    rig.handle(.enriched(rig.enrichments[0].id, .preview(tag)))
    rig.answerNext()
    rig.failNext(.unavailable("disk full"))
    #expect(rig.events.count == 1 && rig.isIdle && rig.tally.previewsUpdated == 0)
  }

  @Test(
    "a preview whose write was interrupted is published if it turns out to be stored",
    arguments: [true, false])
  func unknownWrite(isWritten: Bool) throws {
    _ = try send(link)
    rig.handle(.enriched(rig.enrichments[0].id, .preview(tag)))
    rig.answerNext()
    rig.failNext(.unknown("cut off"), isWritten: isWritten)
    rig.answerAll()
    #expect(rig.events.compactMap(title) == (isWritten ? ["A page"] : []) && rig.isIdle)
  }

  @Test("a preview that arrives after the channel's end is discarded")
  func deletedChannel() throws {
    _ = try send(link)
    _ = try rig.perform(.delete, by: .platform)
    rig.handle(.enriched(rig.enrichments[0].id, .preview(tag)))
    #expect(rig.requests.isEmpty && rig.tally.previewsNone == 1 && rig.isIdle)
  }

  @Test("a lookup ends once, whatever arrives later")
  func endsOnce() throws {
    _ = try send(link)
    for _ in 0..<2 { rig.handle(.enriched(rig.enrichments[0].id, nil)) }
    found(0, "A")
    #expect(rig.events.count == 1 && rig.tally.previewsNone == 1)
  }

  @Test("a message that was refused or failed causes no lookup")
  func failed() throws {
    rig.begin(.send(link), by: .participant("ann"))
    rig.failNext(.unavailable(""))
    #expect(try rig.perform(.send(link), by: "away").code == .notInChannel)
    #expect(rig.enrichments.isEmpty)
  }

  @Test("a repeated send causes no second lookup")
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

  @Test("a known preview after an edit comes with the response, and no update follows")
  func knownAfterEdit() throws {
    let known = try JudgeRig(previews: [link: .found(tag)])
    let id = try #require(try known.perform(.send("x"), by: "ann").sent).message.id
    let outcome = try known.perform(.updateMessage(id, MessageChanges(text: link)), by: "ann")
    #expect(outcome.changed?.openGraphTag == tag && known.enrichments.isEmpty)
    #expect(known.events.count == 2 && known.tally.previewsAttached == 1)
  }
}
