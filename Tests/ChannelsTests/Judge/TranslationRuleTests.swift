import ParleyProtocol
import Testing

@testable import Channels

/// The rules of translations with a send and after an edit.
struct TranslationRuleTests: TranslationTests {
  // MARK: With a send

  @Test
  func waitsForItsTranslations() throws {
    let rig = try rig()
    let call = rig.begin(text("hello", "es", "xx", "en"), by: .participant("ann"))
    rig.answerAll()
    #expect(rig.answers[call] == nil && rig.events.isEmpty && !rig.isIdle)
    #expect(rig.enrichments.map(\.subject) == [.translations(of: "hello", into: ["es"])])
    rig.now += 300
    arrive(rig)
    #expect(rig.answers[call]?.sent?.message.translations == ["es": "hola"])
    #expect(rig.events.map(translations) == [["es": "hola"]])
    #expect(rig.isIdle && rig.tally.translationsLate == 0)
  }

  @Test
  func goesAtOnceWhenAllIsKnown() throws {
    for ephemeral in [false, true] {
      let rig = try rig(ephemeral: ephemeral)
      let sent = try rig.perform(text("known", "es", "xx"), by: .participant("ann")).sent
      #expect(sent?.message.translations == ["es": "conocido"])
      #expect(rig.enrichments.isEmpty && rig.isIdle)
    }
  }

  @Test
  func goesWithNoneWithoutTranslator() throws {
    let rig = try rig(isOn: false)
    let sent = try rig.perform(text("known", "es"), by: .participant("ann")).sent
    #expect(sent?.message.translations == [:] && rig.enrichments.isEmpty)
  }

  @Test
  func goesWithAPartWhenTimeIsUp_AndTheRestComesByOneUpdate() throws {
    for ephemeral in [false, true] {
      let rig = try rig(ephemeral: ephemeral)
      let call = rig.begin(text("hello", "es", "de"), by: .participant("ann"))
      rig.handle(
        .progressed(rig.enrichments[0].id, .translations(MessageTranslations(["es": "hola"]))))
      rig.answerAll()
      #expect(rig.answers[call] == nil)
      rig.now += 2_000
      rig.handle(.deadline)
      rig.answerAll()
      #expect(rig.answers[call]?.sent?.message.translations == ["es": "hola"])
      rig.handle(
        .progressed(rig.enrichments[0].id, .translations(MessageTranslations(["es": "hola"]))))
      arrive(rig, 0, ["es": "hola", "de": "hallo"])
      #expect(rig.events.map(\.method) == ["message.received", "message.updated"])
      #expect(translations(rig.events.last) == ["es": "hola", "de": "hallo"])
      #expect(rig.events.last?.author == nil && rig.tally.translationsLate == 1)
      #expect(rig.isIdle)
    }
  }

  @Test
  func nothingIsToldWhenNothingComes() throws {
    let rig = try rig(milliseconds: 0)
    _ = rig.begin(text("hello", "es"), by: .participant("ann"))
    rig.answerAll()
    arrive(rig, 0, [:], failure: .timedOut)
    #expect(rig.events.count == 1 && rig.isIdle && rig.tally.previewsNone == 0)
  }

  @Test
  func nothingWaitsForASlowTranslator() throws {
    let rig = try rig()
    let sent = try rig.perform(text("slow", "es"), by: .participant("ann")).sent
    #expect(sent?.message.translations == [:])
    arrive(rig)
    #expect(rig.events.map(translations) == [[:], ["es": "hola"]])
  }

  @Test
  func laterSendsOfTheConnectionQueueBehindIt() throws {
    let rig = try rig()
    rig.begin(text("1", "es"), by: .participant("ann", session: 1))
    rig.begin(text("known", "es"), by: .participant("ann", session: 1))
    rig.begin(.send("other"), by: .participant("ben", session: 2))
    rig.answerAll()
    #expect(rig.events.count == 1)
    arrive(rig)
    #expect(rig.events.map(translations) == [[:], ["es": "hola"], ["es": "conocido"]])
  }

  @Test
  func adminMessagesAreTranslated_FilesNever() throws {
    let rig = try rig()
    let call = rig.begin(text("hello", "es", type: .admin), by: .platform)
    arrive(rig)
    #expect(rig.answers[call]?.sent?.message.translations == ["es": "hola"])
  }

  @Test
  func translationsBeyondTheRoomOfAMessageAreLeftOut() throws {
    let rig = try rig()
    let call = rig.begin(text("hello", "es", "de"), by: .participant("ann"))
    arrive(
      rig, 0,
      ["de": String(repeating: "d", count: 40_000), "es": String(repeating: "e", count: 20_000)])
    #expect(rig.answers[call]?.sent?.message.translations.keys.sorted() == ["de"])
  }

  @Test
  func translationsGiveWayToChangesThatNeedTheirRoom() throws {
    let rig = try rig()
    let poll = ChannelCommand.send("tea?", metaArrays: [MetaArray(key: "tea")])
    let id = try #require(try rig.perform(poll, by: "ann").sent).message.id
    let call = rig.begin(.translateMessage(id, into: ["es", "de", "l0"]), by: .participant("ben"))
    rig.answerAll()
    arrive(
      rig, 0,
      [
        "de": String(repeating: "d", count: 20_000), "es": String(repeating: "e", count: 27_700),
        "l0": "short",
      ])
    #expect(rig.answers[call]?.changed?.translations.keys.sorted() == ["de", "es", "l0"])
    let votes = (0..<40).map { "\($0) \(String(repeating: "v", count: 180))" }
    let vote = MetaArrayChange.addValues([MetaArray(key: "tea", values: votes)])
    let voted = try rig.perform(.changeMetaArrays(ofMessage: id, vote), by: "cat").changed
    #expect(voted?.metaArrays.first?.values.count == 40)
    #expect(voted?.translations.keys.sorted() == ["de", "l0"])
    // The author's data likewise, and what would not fit without translations is refused.
    let data = MessageChanges(data: String(repeating: "x", count: 16_000))
    let edited = try rig.perform(.updateMessage(id, data), by: "ann").changed
    #expect(edited?.data.utf8.count == 16_000)
    #expect(edited?.translations == voted?.translations)
    let escapes = MessageChanges(data: String(repeating: "\u{1}", count: 16_000))
    #expect(try rig.perform(.updateMessage(id, escapes), by: "ann").code == .tooLong)
  }

  // MARK: Edits and deletions

  @Test
  func anEditDropsThemAndMakesThemAnew() throws {
    let rig = try rig()
    let call = rig.begin(text("hello", "es"), by: .participant("ann"))
    arrive(rig)
    let id = try #require(rig.answers[call]?.sent).message.id
    let changed = try rig.perform(.updateMessage(id, MessageChanges(text: "bye")), by: "ann")
      .changed
    #expect(changed?.translations == [:])
    #expect(rig.enrichments.last?.subject == .translations(of: "bye", into: ["es"]))
    arrive(rig, 1, ["es": "adiós"])
    #expect(rig.events.map(translations) == [["es": "hola"], [:], ["es": "adiós"]])
    // The data alone leaves them.
    let same = try rig.perform(.updateMessage(id, MessageChanges(data: "x")), by: "ann").changed
    #expect(same?.translations == ["es": "adiós"] && rig.enrichments.count == 2)
    // A text that is remembered comes by an update of its own.
    _ = try rig.perform(.updateMessage(id, MessageChanges(text: "known")), by: "ann")
    #expect(rig.events.suffix(2).map(translations) == [[:], ["es": "conocido"]])
    #expect(rig.isIdle)
  }

  @Test
  func aLateResultForTheFormerTextIsDropped_AndItsLanguagesAreMadeAnew() throws {
    let rig = try rig(milliseconds: 0)
    let sent = try rig.perform(text("hello", "es"), by: .participant("ann")).sent
    let id = try #require(sent).message.id
    _ = try rig.perform(.updateMessage(id, MessageChanges(text: "bye")), by: "ann")
    #expect(rig.enrichments.last?.subject == .translations(of: "bye", into: ["es"]))
    arrive(rig, 0)
    #expect(rig.events.count == 2)
    arrive(rig, 1, ["es": "adiós"])
    #expect(translations(rig.events.last) == ["es": "adiós"] && rig.events.count == 3)
    #expect(rig.isIdle)
  }

  @Test
  func nothingIsToldOfADeletedMessage() throws {
    let rig = try rig(milliseconds: 0)
    let sent = try rig.perform(text("hello", "es"), by: .participant("ann")).sent
    _ = try rig.perform(.deleteMessage(try #require(sent).message.id), by: "ann")
    arrive(rig)
    #expect(rig.events.map(\.method) == ["message.received", "message.deleted"] && rig.isIdle)
  }
}
