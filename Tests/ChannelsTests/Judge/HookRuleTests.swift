import FloodControl
import ParleyProtocol
import Synchronization
import Testing

@testable import Channels

/// Calls of a channel about which the app's back end is asked.
@Suite("Hooks of a channel")
struct HookRuleTests {
  private static let denial = ServiceError(ErrorCode(rawValue: 910_001), "no addresses here")

  private func rig(
    _ names: Set<HookName> = [.messageSend, .messageUpdate], platform: Bool = false,
    limit: RateLimit = RateLimit(count: 5, windowMilliseconds: 1_000), ephemeral: Bool = false,
    waits: SendWaits = .none
  ) throws -> JudgeRig {
    try JudgeRig(
      ephemeral: ephemeral, limit: limit, waits: waits,
      hooks: JudgeHooks(names, includesPlatform: platform, limits: CustomDataLimits()))
  }

  private func send(
    _ text: String, _ requestID: String? = nil, languages: [String] = []
  ) -> ChannelCommand {
    let draft = MessageDraft(text: text, translationLanguages: languages)
    return .send(MessageOrder(.success(draft), requestID: requestID))
  }

  private func questions(_ rig: JudgeRig) -> [HookQuestion] {
    rig.others.compactMap { if case .ask(let question) = $0 { question } else { nil } }
  }

  private func answer(_ rig: JudgeRig, _ index: Int, _ verdict: HookVerdict) throws {
    let questions = questions(rig)
    try #require(questions.indices.contains(index))
    rig.handle(.hooked(questions[index].id, verdict))
    rig.answerAll()
  }

  private func changed(
    _ json: String, _ hook: HookName = .messageSend, otherwise: ServiceError? = nil
  ) throws -> HookVerdict {
    let answer = try HookAnswer(Array("{\"allow\":true,\"changes\":\(json)}".utf8), to: hook)
    guard case .allowed(let changes?) = answer else { throw NoChanges() }
    return .changed(changes, otherwise: otherwise)
  }

  private struct NoChanges: Error {}

  private func texts(_ rig: JudgeRig) -> [String?] {
    rig.events.filter { $0.method == "message.received" }.map {
      $0.params?["message"]?["message"]?.string
    }
  }

  private func error(_ rig: JudgeRig, _ call: UInt64) -> ServiceError? {
    if case .failure(let error)? = rig.answers[call] { error } else { nil }
  }

  @Test("an accepted send waits for the answer, and goes out with the changes")
  func changes() throws {
    let rig = try rig()
    let call = rig.begin(send("hello"), by: .participant("ann"))
    rig.answerAll()
    #expect(questions(rig).map(\.hook) == [.messageSend])
    #expect(texts(rig) == [] && rig.answers[call] == nil)
    try answer(rig, 0, try changed(#"{"message":"***","sender":"x","channel_url":"other"}"#))
    #expect(texts(rig) == ["***"])
    let sent = try #require(rig.answers[call]).get()
    guard case .sent(let message) = sent else { throw NoChanges() }
    #expect(message.message.text == "***" && message.message.user?.id == "ann")
  }

  @Test("what is refused without a hook is not asked about")
  func refusals() throws {
    let rig = try rig(limit: RateLimit(count: 1, windowMilliseconds: 1_000))
    rig.begin(send("a"), by: .participant("ann"))
    let second = rig.begin(send("b"), by: .participant("ann"))
    let stranger = rig.begin(send("c"), by: .participant("away"))
    rig.answerAll()
    #expect(error(rig, second)?.code == .flood)
    #expect(error(rig, stranger)?.code == .notInChannel)
    #expect(questions(rig).count == 1)
  }

  @Test("a denied send keeps its place in the flood window")
  func denial() throws {
    let rig = try rig(limit: RateLimit(count: 1, windowMilliseconds: 1_000))
    let first = rig.begin(send("a"), by: .participant("ann"))
    try answer(rig, 0, .denied(Self.denial))
    #expect(error(rig, first) == Self.denial)
    let second = rig.begin(send("b"), by: .participant("ann"))
    #expect(error(rig, second)?.code == .flood)
    #expect(texts(rig) == [])
  }

  @Test("sends of a connection keep their order, however the answers come")
  func order() throws {
    let rig = try rig()
    for text in ["one", "two", "three"] { rig.begin(send(text), by: .participant("ann")) }
    rig.begin(send("other"), by: .participant("ben", session: 2))
    #expect(questions(rig).count == 4)
    try answer(rig, 2, .allowed)
    try answer(rig, 3, .allowed)
    #expect(texts(rig) == ["other"])
    try answer(rig, 1, .denied(Self.denial))
    #expect(texts(rig) == ["other"])
    try answer(rig, 0, .allowed)
    #expect(texts(rig) == ["other", "one", "three"])
  }

  @Test("a ban while the send waits refuses it")
  func ban() throws {
    let rig = try rig()
    let call = rig.begin(send("hello"), by: .participant("ann"))
    _ = try rig.perform(
      .operation(
        .restrict(
          .ban, ChannelRestriction(userID: "ann", seconds: 60, description: ""))),
      by: .participant("boss"))
    try answer(rig, 0, .allowed)
    #expect(error(rig, call)?.code == .banned)
    #expect(texts(rig) == [])
  }

  @Test("without an answer, the policy decides")
  func policies() throws {
    let rig = try rig()
    let failed = ServiceError.hookFailed(.messageSend, retryAfter: 1_000)
    let refused = rig.begin(send("a"), by: .participant("ann"))
    try answer(rig, 0, .failed(failed))
    #expect(error(rig, refused) == failed)
    rig.begin(send("b"), by: .participant("ann"))
    try answer(rig, 1, .failed(nil))
    #expect(texts(rig) == ["b"])
  }

  @Test(
    "invalid changes are the back end's failure",
    arguments: [
      #"{"message":""}"#, #"{"message":7}"#, #"{"message":"a\u0000b"}"#,
      #"{"mentioned_user_ids":["ben"]}"#, #"{"push_option":"loud"}"#,
      "{\"message\":\"\(String(repeating: "x", count: 5_001))\"}",
    ])
  func invalid(changes: String) throws {
    let rig = try rig()
    let failed = ServiceError.hookFailed(.messageSend, retryAfter: 1_000)
    let call = rig.begin(send("a"), by: .participant("ann"))
    try answer(rig, 0, try changed(changes, otherwise: failed))
    #expect(error(rig, call) == failed)
    rig.begin(send("b"), by: .participant("ann"))
    try answer(rig, 1, try changed(changes, otherwise: nil))
    #expect(texts(rig) == ["b"])
    let outcomes = rig.others.compactMap {
      if case .noteHook(_, let outcome) = $0 { outcome } else { nil }
    }
    #expect(outcomes == [.failed, .failed])
  }

  @Test("a repeated req_id joins the send that waits, and finds the one that was stored")
  func repetition() throws {
    let rig = try rig()
    let calls = (0..<2).map { _ in rig.begin(send("a", "r"), by: .participant("ann")) }
    try answer(rig, 0, .allowed)
    #expect(questions(rig).count == 1)
    let third = rig.begin(send("a", "r"), by: .participant("ann"))
    rig.answerAll()
    #expect(questions(rig).count == 1)
    for call in calls + [third] {
      guard case .success(.sent(let sent))? = rig.answers[call] else { throw NoChanges() }
      #expect(sent.message.text == "a")
    }
    #expect(texts(rig) == ["a"])
    #expect(questions(rig)[0].identity == "lobby\nann\nr")
  }

  @Test("the Platform API is asked about only if it is included")
  func platform() throws {
    let rig = try rig()
    rig.begin(send("a"), by: .platform(onBehalfOf: User(id: "ann")))
    rig.answerAll()
    #expect(questions(rig).isEmpty && texts(rig) == ["a"])
    let asked = try self.rig(platform: true)
    asked.begin(send("a"), by: .platform(onBehalfOf: User(id: "ann")))
    asked.answerAll()
    #expect(questions(asked).count == 1)
  }

  @Test("a drain keeps asked sends until the answer; a move gives them up")
  func ends() throws {
    let rig = try rig()
    let call = rig.begin(send("a"), by: .participant("ann"))
    rig.handle(.endWaiting(.drain))
    rig.answerAll()
    #expect(rig.answers[call] == nil)
    try answer(rig, 0, .allowed)
    #expect(texts(rig) == ["a"])
    let moved = rig.begin(send("b"), by: .participant("ann"))
    rig.handle(.endWaiting(.move))
    #expect(error(rig, moved) == .moved)
    try answer(rig, 1, .allowed)
    #expect(texts(rig) == ["a"])
  }

  @Test("translations are requested for the changed text, after the answer")
  func translations() throws {
    let waits = SendWaits(milliseconds: 2_000, admit: { _ in true }, end: { _, _ in })
    let rig = try JudgeRig(
      waits: waits, translations: { _, languages in TranslationKnowledge(missing: languages) },
      hooks: JudgeHooks([.messageSend], includesPlatform: false, limits: CustomDataLimits()))
    let call = rig.begin(send("bad", languages: ["es"]), by: .participant("ann"))
    rig.begin(send("next"), by: .participant("ann"))
    #expect(rig.enrichments.isEmpty)
    try answer(rig, 1, .allowed)
    try answer(rig, 0, try changed(#"{"message":"good"}"#))
    let request = try #require(rig.enrichments.first)
    #expect(request.subject == .translations(of: "good", into: ["es"]))
    #expect(texts(rig) == [] && rig.answers[call] == nil)
    rig.handle(.enriched(request.id, .translations(MessageTranslations(["es": "bueno"]))))
    rig.answerAll()
    #expect(texts(rig) == ["good", "next"])
  }

  @Test("an edit is asked about once it would be accepted, and judged again with the changes")
  func edits() throws {
    let rig = try rig([.messageUpdate])
    guard case .sent(let sent) = try rig.perform(send("a"), by: .participant("ann")).get() else {
      throw NoChanges()
    }
    let id = sent.message.id
    let edit = ChannelCommand.updateMessage(id, MessageChanges(text: "b"))
    let other = rig.begin(edit, by: .participant("ben"))
    rig.answerAll()
    #expect(error(rig, other)?.code == .notAllowed)
    #expect(questions(rig).isEmpty)
    let call = rig.begin(edit, by: .participant("ann"))
    rig.answerAll()
    #expect(questions(rig).map(\.hook) == [.messageUpdate])
    try answer(rig, 0, try changed(#"{"message":"c"}"#, .messageUpdate))
    guard case .success(.changed(let changed))? = rig.answers[call] else { throw NoChanges() }
    #expect(changed.message.text == "c")
    let denied = rig.begin(edit, by: .participant("ann"))
    rig.answerAll()
    try answer(rig, 1, .denied(Self.denial))
    #expect(error(rig, denied) == Self.denial)
  }

  @Test("invitations and joins are asked about, and changed invitations invite fewer")
  func groups() throws {
    let rig = try JudgeRig.group(
      hooks: JudgeHooks(
        [.groupInvite, .groupJoin], includesPlatform: false, limits: CustomDataLimits()))
    let ids = rig.addUsers(3)
    let call = rig.begin(.group(.change(.invite(ids))), by: .participant("ann"))
    rig.answerAll()
    #expect(questions(rig).map(\.hook) == [.groupInvite])
    // Nothing else of the group waits.
    _ = try rig.perform(.operation(.freeze(true)), by: .participant("boss")).get()
    try answer(rig, 0, try changed(#"{"user_ids":["u1"]}"#, .groupInvite))
    _ = try #require(rig.answers[call]).get()
    let members = try rig.stored().members.map(\.user.id)
    #expect(members.contains("u1") && !members.contains("u0"))
    let accept = rig.begin(.group(.change(.accept)), by: .participant("cat"))
    try answer(rig, 1, .denied(Self.denial))
    #expect(error(rig, accept) == Self.denial)
    // Who has joined has nothing to ask.
    _ = try rig.change(.accept, by: "ann").get()
    #expect(questions(rig).count == 2)
  }
}
