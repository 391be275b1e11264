import FloodControl
import LinkPreview
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: link previews")
struct PreviewTests {
  private let tag = OpenGraphTag(title: "A page")
  private let link = "https://a.example/page"

  private func rig(
    _ known: LinkKnowledge? = nil, ephemeral: Bool = false
  ) throws -> JudgeRig {
    try JudgeRig(ephemeral: ephemeral, previews: known.map { [link: $0] } ?? [:])
  }

  @Test("a known preview comes with the message, and no update follows")
  func known() throws {
    let rig = try rig(.found(tag))
    let sent = try #require(try rig.perform(.send("see \(link)"), by: "ann").sent)
    #expect(sent.message.openGraphTag == tag && rig.enrichments.isEmpty)
    #expect(rig.events.count == 1 && rig.tally.previewsAttached == 1)
  }

  @Test("a page known to have no preview is not requested again")
  func knownNone() throws {
    let rig = try rig(.none as LinkKnowledge)
    #expect(try rig.perform(.send(link), by: "ann").sent?.message.openGraphTag == nil)
    #expect(rig.enrichments.isEmpty && rig.tally.previewsNone == 1)
  }

  @Test("an unknown preview is requested once the message is durable, and updates it")
  func unknown() throws {
    let rig = try rig()
    let call = rig.begin(.send(link), by: .participant("ann"))
    #expect(rig.enrichments.isEmpty)
    rig.answerNext()
    let request = try #require(rig.enrichments.first)
    #expect(request.authorID == "ann" && !rig.isIdle)
    rig.handle(.enriched(request.id, .preview(tag)))
    rig.answerAll()
    #expect(rig.events.map(\.method) == ["message.received", "message.updated"])
    #expect(rig.events[1].author == nil && rig.events[1].seq == 2)
    #expect(rig.events[1].params?["message"]?["og_tag"]?["og:title"]?.string == "A page")
    #expect(rig.events[1].params?["message"]?["updated_at"]?.integer == 0)
    #expect(rig.answers[call]?.sent?.message.openGraphTag == nil && rig.isIdle)
    #expect(rig.tally.previewsUpdated == 1)
  }

  @Test("a preview that arrives after the home has moved is handed over to the new home")
  func handsOver() throws {
    let rig = try rig()
    let id = try #require(try rig.perform(.send(link), by: "ann").sent).message.id
    rig.handle(.enriched(rig.enrichments[0].id, .preview(tag)))
    rig.answerNext()
    rig.failNext(.fenced)
    let addition = LateAddition(messageID: id, text: link, enrichment: .preview(tag))
    let handedOver = rig.others.compactMap { action -> LateAddition? in
      if case .handOver(let addition) = action { addition } else { nil }
    }
    #expect(handedOver == [addition] && rig.events.count == 1)
    try rig.restart(users: ["ann"])
    rig.handle(.handedOver(addition))
    rig.answerAll()
    #expect(rig.events.last?.params?["message"]?["og_tag"]?["og:title"]?.string == "A page")
    // It is for another text.
    _ = try rig.perform(.updateMessage(id, MessageChanges(text: "x")), by: "ann")
    let count = rig.events.count
    rig.handle(.handedOver(addition))
    rig.answerAll()
    #expect(rig.events.count == count && rig.isIdle)
  }

  @Test("a caller's change is not handed over when the home has moved")
  func handsNothingElseOver() throws {
    let rig = try rig()
    let id = try #require(try rig.perform(.send("x"), by: "ann").sent).message.id
    let call = rig.begin(.updateMessage(id, MessageChanges(text: "y")), by: .participant("ann"))
    rig.answerNext()
    rig.failNext(.fenced)
    #expect(rig.answers[call]?.error?.isMoved == true)
    #expect(!rig.others.contains { if case .handOver = $0 { true } else { false } })
  }

  @Test("a preview update keeps changes made in the meantime")
  func keepsChanges() throws {
    let rig = try rig()
    let id = try #require(try rig.perform(.send(link), by: "ann").sent).message.id
    _ = try rig.perform(.updateMessage(id, MessageChanges(data: "d")), by: "ann")
    rig.handle(.enriched(rig.enrichments[0].id, .preview(tag)))
    rig.answerAll()
    #expect(rig.events.last?.params?["message"]?["data"]?.string == "d")
    #expect(rig.events.last?.params?["message"]?["og_tag"]?["og:title"]?.string == "A page")
  }

  @Test("a page without preview changes nothing and publishes nothing")
  func nothing() throws {
    let rig = try rig()
    _ = try rig.perform(.send(link), by: "ann")
    rig.handle(.enriched(rig.enrichments[0].id, nil))
    #expect(rig.requests.isEmpty && rig.events.count == 1 && rig.tally.previewsNone == 1)
  }

  @Test("no update follows when the text has changed in the meantime")
  func edited() throws {
    let rig = try rig()
    let id = try #require(try rig.perform(.send(link), by: "ann").sent).message.id
    _ = try rig.perform(.updateMessage(id, MessageChanges(text: "no link")), by: "ann")
    rig.handle(.enriched(rig.enrichments[0].id, .preview(tag)))
    rig.answerAll()
    #expect(rig.events.count == 2 && rig.isIdle)
  }

  @Test("no update follows when the message was deleted, even between read and write")
  func deleted() throws {
    let rig = try rig()
    let id = try #require(try rig.perform(.send(link), by: "ann").sent).message.id
    let call = rig.begin(.deleteMessage(id), by: .participant("ann"))
    rig.handle(.enriched(rig.enrichments[0].id, .preview(tag)))
    rig.answerAll()
    #expect(rig.answers[call]?.code == nil)
    #expect(rig.events.map(\.method) == ["message.received", "message.deleted"])
  }

  @Test("an edited text has its preview looked up again, on the editor's account")
  func recomputed() throws {
    let rig = try rig(.found(tag))
    let id = try #require(try rig.perform(.send(link), by: "ann").sent).message.id
    let changes = MessageChanges(text: "https://b.example/")
    let changed = try #require(try rig.perform(.updateMessage(id, changes), by: "boss").changed)
    #expect(changed.openGraphTag == nil && rig.enrichments.map(\.authorID) == ["boss"])
    rig.handle(.enriched(rig.enrichments[0].id, .preview(OpenGraphTag(title: "B"))))
    rig.answerAll()
    #expect(rig.events.last?.params?["message"]?["og_tag"]?["og:title"]?.string == "B")
    let back = try #require(
      try rig.perform(.updateMessage(id, MessageChanges(text: link)), by: "ann").changed)
    #expect(back.openGraphTag == tag)
  }

  @Test("a change that keeps the text keeps the preview")
  func kept() throws {
    let rig = try rig(.found(tag))
    let id = try #require(try rig.perform(.send(link), by: "ann").sent).message.id
    let changes = MessageChanges(text: link, customType: "c")
    let changed = try #require(try rig.perform(.updateMessage(id, changes), by: "ann").changed)
    #expect(changed.openGraphTag == tag && rig.enrichments.isEmpty)
  }

  @Test("text beside a file has no preview; an admin message does")
  func types() throws {
    let rig = try rig(.found(tag))
    #expect(try rig.perform(.send(link, type: .file), by: "ann").sent?.message.openGraphTag == nil)
    #expect(
      try rig.perform(.send(link, type: .admin), by: .platform).sent?.message.openGraphTag == tag)
  }

  @Test("an ephemeral message is also updated, with the next number")
  func ephemeral() throws {
    let rig = try rig(ephemeral: true)
    _ = try rig.perform(.send(link), by: "ann")
    _ = try rig.perform(.send("other"), by: "ann")
    rig.handle(.enriched(rig.enrichments[0].id, .preview(tag)))
    #expect(rig.requests.isEmpty && rig.events.map(\.seq) == [1, 2, 3])
    #expect(rig.events[2].method == "message.updated")
  }

  @Test("with previews disabled no link is searched for")
  func off() throws {
    let rig = try JudgeRig()
    _ = try rig.perform(.send(link), by: "ann")
    #expect(rig.enrichments.isEmpty && rig.tally.previewsNone == 0)
  }
}
