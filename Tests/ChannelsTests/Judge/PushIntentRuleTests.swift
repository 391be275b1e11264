import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: messages that are pushed")
struct PushIntentRuleTests {
  private static let template = PushMessageTemplate(title: "t", body: "b")

  /// The message that the log is given.
  private func submitted(
    _ rig: JudgeRig, _ draft: MessageDraft, by principal: Principal = .participant("ann")
  ) -> UnsequencedMessage? {
    _ = rig.begin(.send(MessageOrder(.success(draft), requestID: nil)), by: principal)
    defer { rig.answerAll() }
    guard case .entry(_, .write(.append(let new), _))? = rig.requests.last else { return nil }
    return new
  }

  @Test("messages of groups that count are pushed unless their sender does not want it")
  func groups() throws {
    let rig = try JudgeRig.group()
    #expect(submitted(rig, MessageDraft(text: "x"))?.pushes == .plain)
    #expect(submitted(rig, MessageDraft(text: "x", pushOption: .suppress))?.pushes == .some(nil))
    var draft = MessageDraft(text: "x")
    draft.push = .shaped(Self.template)
    #expect(submitted(rig, draft)?.pushes == .shaped(Self.template))
    draft.isSilent = true
    #expect(submitted(rig, draft)?.pushes == .some(nil))
    var notice = MessageDraft(type: .admin, text: "x")
    #expect(submitted(rig, notice, by: .platform)?.pushes == .some(nil))
    notice.push = .plain
    #expect(submitted(rig, notice, by: .platform)?.pushes == .plain)
  }

  @Test("messages of open channels are pushed to those whom they mention only")
  func openChannels() throws {
    let rig = try JudgeRig()
    #expect(submitted(rig, MessageDraft(text: "x"))?.pushes == .some(nil))
    let mention = MessageDraft(text: "x", mentionedUserIDs: ["boss"])
    #expect(submitted(rig, mention)?.pushes == .plain)
  }

  @Test("a draft takes its push along to another server")
  func coding() throws {
    for push in [nil, .plain, .shaped(Self.template), .shaped(PushMessageTemplate())]
      as [PushIntent?]
    {
      var draft = MessageDraft(text: "x")
      draft.push = push
      var writer = MessageWriter()
      writer.write(draft)
      var reader = MessageReader(writer.bytes)
      #expect(try reader.read(MessageDraft.self) == draft)
    }
  }
}
