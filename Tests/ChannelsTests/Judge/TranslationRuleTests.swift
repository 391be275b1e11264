import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

/// The rules of translations: with a send, after an edit, and on demand.
struct TranslationRuleTests {
  /// Knows `es` and `de`; remembers the text `known` in `es`; English is what all texts are in.
  private static let lookUp: @Sendable (String, [String]) -> TranslationKnowledge = { text, tags in
    var texts: [String: String] = [:]
    var (missing, unsupported): ([String], [String]) = ([], [])
    for tag in tags {
      switch tag.lowercased() {
      case "en": break
      case "es" where text.hasPrefix("known"): texts[tag] = "conocido"
      case "es", "de", "l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8", "l9":
        missing.append(tag)
      default: unsupported.append(tag)
      }
    }
    return TranslationKnowledge(
      texts: texts, missing: missing, unsupported: unsupported, isSlow: text.hasPrefix("slow"))
  }

  private func rig(
    milliseconds: Int64 = 2_000, ephemeral: Bool = false, isOn: Bool = true
  ) throws -> JudgeRig {
    try JudgeRig(
      ephemeral: ephemeral, limit: RateLimit(count: 50, windowMilliseconds: 1_000),
      waits: SendWaits(milliseconds: milliseconds, admit: { _ in true }, end: { _, _ in }),
      translations: isOn ? Self.lookUp : nil)
  }

  private func text(
    _ text: String, _ languages: String..., type: MessageType = .user, _ requestID: String? = nil
  ) -> ChannelCommand {
    let draft = MessageDraft(type: type, text: text, translationLanguages: languages)
    return .send(MessageOrder(.success(draft), requestID: requestID))
  }

  private func arrive(
    _ rig: JudgeRig, _ index: Int = 0, _ texts: [String: String] = ["es": "hola"],
    failure: MessageTranslations.Failure? = nil
  ) {
    let found = MessageTranslations(texts, failure: failure)
    rig.handle(.enriched(rig.enrichments[index].id, .translations(found)))
    rig.answerAll()
  }

  private func translations(_ event: ChannelEvent?) -> [String: String]? {
    guard let members = event?.params?["message"]?["translations"]?.members else { return nil }
    return Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.node.string ?? "") })
  }

  /// Sends a text that is not translated.
  private func plain(_ rig: JudgeRig, _ text: String = "hello") throws -> Int64 {
    try #require(try rig.perform(.send(text), by: "ann").sent).message.id
  }

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

  // MARK: On demand

  @Test
  func aReaderAsks_AllOthersAreTold() throws {
    let rig = try rig()
    let id = try plain(rig)
    let call = rig.begin(
      .translateMessage(id, into: ["es", "xx"]), by: .participant("ben", session: 7))
    rig.answerAll()
    #expect(rig.answers[call] == nil && !rig.isIdle)
    arrive(rig, 0)
    #expect(rig.answers[call]?.changed?.translations == ["es": "hola"])
    #expect(rig.events.last?.author == .sample(7))
    #expect(translations(rig.events.last) == ["es": "hola"])
    // What is stored is answered at once and told nobody, whatever the case.
    let again = try rig.perform(.translateMessage(id, into: ["ES"]), by: "cat")
    guard case .success(.message(let message)) = again else {
      Issue.record("\(again)")
      return
    }
    #expect(message.translations == ["es": "hola"] && rig.events.count == 2 && rig.isIdle)
  }

  @Test
  func manyWhoAskForTheSameAreAllAnsweredAndOneUpdateIsTold() throws {
    let rig = try rig()
    let id = try plain(rig)
    let calls = (1...20).map {
      rig.begin(.translateMessage(id, into: ["es"]), by: .participant("ben", session: $0))
    }
    rig.answerAll()
    for index in calls.indices { arrive(rig, index) }
    #expect(rig.events.count(where: { $0.method == "message.updated" }) == 1)
    for call in calls {
      switch rig.answers[call] {
      case .success(.changed(let changed)):
        #expect(changed.message.translations == ["es": "hola"])
      case let other: Issue.record("\(String(describing: other))")
      }
    }
  }

  @Test
  func refusalsOnDemand() throws {
    let rig = try rig()
    let file = try #require(try rig.perform(.send("f", type: .file), by: "ann").sent).message.id
    let admin = try #require(try rig.perform(.send("a", type: .admin), by: .platform).sent).message
      .id
    let id = try plain(rig)
    for refused in [file, admin] {
      #expect(
        try rig.perform(.translateMessage(refused, into: ["es"]), by: "ben").code == .invalidValue)
    }
    let unsupported = try rig.perform(.translateMessage(id, into: ["xx", "yy"]), by: "ben").error
    #expect(unsupported?.code == .invalidValue && unsupported?.data.unsupported == ["xx", "yy"])
    #expect(try rig.perform(.translateMessage(1, into: ["es"]), by: "ben").code == .notFound)
    // The text's own language is no error.
    guard case .success(.message) = try rig.perform(.translateMessage(id, into: ["en"]), by: "ben")
    else {
      Issue.record("refused")
      return
    }
    let off = try self.rig(isOn: false)
    let plain = try plain(off)
    #expect(
      try off.perform(.translateMessage(plain, into: ["es"]), by: "ben").code == .invalidValue)
    let ephemeral = try self.rig(ephemeral: true)
    #expect(
      try ephemeral.perform(.translateMessage(plain, into: ["es"]), by: "ben").code == .notFound)
  }

  @Test
  func whoeverAsksPaysForTheBytesOfTheUpdate() throws {
    let rig = try rig()
    let ids = try (0..<7).map { try plain(rig, "hello \($0)") }
    let long = String(repeating: "e", count: 30_000)
    for (index, id) in ids.prefix(5).enumerated() {
      let call = rig.begin(.translateMessage(id, into: ["es"]), by: .participant("ben"))
      rig.answerAll()
      arrive(rig, index, ["es": long])
      #expect(rig.answers[call]?.changed?.translations == ["es": long])
    }
    let refused = try rig.perform(.translateMessage(ids[5], into: ["es"]), by: "ben")
    let error = try #require(refused.error)
    #expect(error.code == .flood && error.data.limit == 65_536 && rig.tally.refused.flood == 1)
    // What is stored costs nothing, and other users and the Platform API have not paid for it.
    #expect(try rig.perform(.translateMessage(ids[0], into: ["es"]), by: "ben").code == nil)
    for (index, principal) in [Principal.participant("cat"), .platform].enumerated() {
      let call = rig.begin(.translateMessage(ids[5 + index], into: ["es"]), by: principal)
      rig.answerAll()
      arrive(rig, 5 + index)
      #expect(rig.answers[call]?.changed != nil)
    }
    rig.now += 2_000
    let later = rig.begin(.translateMessage(ids[5], into: ["de"]), by: .participant("ben"))
    rig.answerAll()
    arrive(rig, 7, ["de": "hallo"])
    #expect(rig.answers[later]?.changed?.translations == ["es": "hola", "de": "hallo"])
  }

  @Test
  func aCallThatUpdatesNothingCostsNoBytes() throws {
    let rig = try rig()
    let id = try plain(rig)
    // More than the bytes of a user would come to, if each of them kept its place.
    for number in 0..<400 {
      let call = rig.begin(.translateMessage(id, into: ["es"]), by: .participant("ben"))
      rig.answerAll()
      if number.isMultiple(of: 2) {
        arrive(rig, number, [:], failure: .failed)
        #expect(rig.answers[call]?.code == .internalError)
      } else {
        rig.handle(.endWaiting(.move))
        #expect(rig.answers[call]?.error == .moved)
      }
    }
  }

  @Test
  func failuresOnDemandHaveTheirReason() throws {
    for (failure, reason) in [
      (MessageTranslations.Failure.timedOut, "timed_out"), (.failed, "failed"),
    ] {
      let rig = try rig()
      let id = try plain(rig)
      let call = rig.begin(.translateMessage(id, into: ["es", "de"]), by: .participant("ben"))
      rig.answerAll()
      arrive(rig, 0, [:], failure: failure)
      let error = try #require(rig.answers[call]?.error)
      #expect(error.code == .internalError && error.data.reason == reason)
      // Partly: what came.
      let second = rig.begin(.translateMessage(id, into: ["es", "de"]), by: .participant("ben"))
      rig.answerAll()
      arrive(rig, 1, ["de": "hallo"], failure: failure)
      #expect(rig.answers[second]?.changed?.translations == ["de": "hallo"])
      // Partly, too: what is stored already.
      let third = rig.begin(.translateMessage(id, into: ["es", "DE"]), by: .participant("ben"))
      rig.answerAll()
      arrive(rig, 2, [:], failure: failure)
      guard case .success(.message(let message)) = rig.answers[third] else {
        Issue.record("\(String(describing: rig.answers[third]))")
        continue
      }
      #expect(message.translations == ["de": "hallo"])
    }
  }

  @Test
  func aMessageHasTenLanguagesAtMost() throws {
    let rig = try rig()
    let id = try plain(rig)
    let ten = (0...9).map { "l\($0)" }
    let call = rig.begin(.translateMessage(id, into: ten), by: .participant("ben"))
    rig.answerAll()
    arrive(rig, 0, Dictionary(uniqueKeysWithValues: ten.map { ($0, "x") }))
    #expect(rig.answers[call]?.changed?.translations.count == 10)
    #expect(try rig.perform(.translateMessage(id, into: ["l3"]), by: "ben").code == nil)
    // The oldest that a call on demand has added gives way, unless the call names it too.
    let author = rig.begin(.translateMessage(id, into: ["es", "L0"]), by: .participant("ann"))
    rig.answerAll()
    arrive(rig, 1)
    let kept = (0...9).filter { $0 != 1 }.map { "l\($0)" }
    #expect(rig.answers[author]?.changed?.translations.keys.sorted() == ["es"] + kept)
    let next = rig.begin(.translateMessage(id, into: ["de"]), by: .participant("ben"))
    rig.answerAll()
    arrive(rig, 2, ["de": "hallo"])
    #expect(rig.answers[next]?.changed?.translations["l0"] == nil)
    #expect(rig.answers[next]?.changed?.translations["es"] == "hola")
  }

  @Test
  func theLanguagesOfTheSenderStay() throws {
    let rig = try rig()
    let nine = (0...8).map { "l\($0)" }
    let draft = MessageDraft(text: "hello", translationLanguages: nine)
    let sent = rig.begin(
      .send(MessageOrder(.success(draft), requestID: nil)), by: .participant("ann"))
    arrive(rig, 0, Dictionary(uniqueKeysWithValues: nine.map { ($0, "x") }))
    let id = try #require(rig.answers[sent]?.sent).message.id
    for (index, language) in ["es", "de", "l9"].enumerated() {
      let call = rig.begin(.translateMessage(id, into: [language]), by: .participant("ben"))
      rig.answerAll()
      arrive(rig, 1 + index, [language: "y"])
      #expect(
        rig.answers[call]?.changed?.translations.keys.sorted() == (nine + [language]).sorted())
    }
    #expect(
      try rig.perform(.translateMessage(id, into: ["es", "de"]), by: "ben").code == .tooManyItems)
  }

  @Test
  func whoMayNotSendIsAnswered_NothingIsKeptAndNobodyIsTold() throws {
    for prevent in [.mute("cat"), .ban("cat", seconds: 60), .freeze] as [ChannelCommand] {
      let rig = try rig()
      let ten = (0...9).map { "l\($0)" }
      let id = try plain(rig)
      let full = rig.begin(.translateMessage(id, into: ten), by: .participant("ben"))
      rig.answerAll()
      arrive(rig, 0, Dictionary(uniqueKeysWithValues: ten.map { ($0, "x") }))
      #expect(rig.answers[full]?.changed != nil)
      _ = try rig.perform(prevent, by: "boss")
      let count = rig.events.count
      for index in 1...2 {
        let call = rig.begin(.translateMessage(id, into: ["es", "l3"]), by: .participant("cat"))
        rig.answerAll()
        arrive(rig, index)
        guard case .success(.message(let message)) = rig.answers[call] else {
          Issue.record("\(String(describing: rig.answers[call]))")
          return
        }
        #expect(message.translations == ["es": "hola", "l3": "x"])
      }
      #expect(rig.events.count == count && rig.isIdle)
    }
    let rig = try rig()
    let id = try plain(rig, "known")
    for user in ["stranger", "ben"] {
      let outcome = try rig.perform(.translateMessage(id, into: ["es"]), by: user)
      #expect((outcome.changed?.translations == ["es": "conocido"]) == (user == "ben"))
    }
    #expect(rig.events.map(\.method) == ["message.received", "message.updated"])
  }

  @Test
  func aResultThatComesDuringAnEditIsMadeAnew() throws {
    let rig = try rig(milliseconds: 0)
    let sent = try rig.perform(text("hello", "es", "de"), by: .participant("ann")).sent
    let id = try #require(sent).message.id
    rig.begin(.updateMessage(id, MessageChanges(text: "bye")), by: .participant("ann"))
    rig.answerNext()
    // The edit is being written.
    let found = MessageTranslations(["es": "hola", "de": "hallo"])
    rig.handle(.enriched(rig.enrichments[0].id, .translations(found)))
    rig.answerAll()
    #expect(rig.enrichments.last?.subject == .translations(of: "bye", into: ["de", "es"]))
    arrive(rig, 1, ["es": "adiós", "de": "tschüss"])
    #expect(translations(rig.events.last) == ["es": "adiós", "de": "tschüss"])
    #expect(rig.isIdle)
  }

  @Test
  func aDemandThatIsOvertakenByAnEditGetsTheMessageAsItIs() throws {
    let rig = try rig()
    let id = try plain(rig)
    let call = rig.begin(.translateMessage(id, into: ["es"]), by: .participant("ben"))
    rig.answerAll()
    _ = try rig.perform(.updateMessage(id, MessageChanges(text: "bye")), by: "ann")
    arrive(rig, 0)
    #expect(rig.answers[call]?.changed?.text == "bye")
    #expect(rig.answers[call]?.changed?.translations == [:])
    let deleted = rig.begin(.translateMessage(id, into: ["es"]), by: .participant("ben"))
    rig.answerAll()
    _ = try rig.perform(.deleteMessage(id), by: "ann")
    arrive(rig, 1)
    #expect(rig.answers[deleted]?.code == .notFound && rig.isIdle)
  }

  @Test
  func aHomeThatMovesHandsItsDemandsOver() throws {
    let rig = try rig()
    let id = try plain(rig)
    let call = rig.begin(.translateMessage(id, into: ["es"]), by: .participant("ben"))
    rig.answerAll()
    rig.handle(.endWaiting(.move))
    #expect(rig.answers[call]?.error == .moved && rig.isIdle)
    arrive(rig, 0)
    #expect(rig.answers.count == 2)
  }
}
