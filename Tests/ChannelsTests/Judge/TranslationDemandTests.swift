import ParleyProtocol
import Testing

@testable import Channels

/// The rules of translations on demand.
struct TranslationDemandTests: TranslationTests {
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
    // Stored translations are in the answer at once, in any case of the tag, without an event.
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
