import ParleyProtocol
import Testing

@testable import Push

@Suite("Notices to the operator's own service")
struct PushNoticeTests {
  private func notice(_ texts: PushTexts = PushTexts()) -> PushNotice {
    let message = Message(
      id: 7, channelURL: "den", user: User(id: "ann", nickname: "Ann"), text: "hello",
      createdAt: 5, ordinal: 1)
    let recipient = PushNotice.Recipient(
      userID: "bob", badge: 3, isSilent: false, preferences: PushPreferences(),
      devices: [.init(type: .gcm, name: "g1"), .init(type: .apns, name: "a1")])
    return PushNotice(
      of: message, channelName: "Den", texts: texts, template: nil, to: [recipient])
  }

  @Test("the body has the channel, the message and the recipients' devices")
  func body() throws {
    let root = try JSONDocument(notice().body).root
    #expect(root["event"]?.string == "push.notify")
    #expect(root["channel"]?["channel_url"]?.string == "den")
    #expect(root["channel"]?["channel_type"]?.string == "group_channels")
    #expect(root["message"]?["message"]?.string == "hello")
    #expect(root["title"]?.string == "Ann · Den")
    let recipient = try #require(root["recipients"]?.elements.first { _ in true })
    #expect(recipient["user_id"]?.string == "bob")
    #expect(recipient["unread_message_count"]?.integer == 3)
    #expect(recipient["tokens"]?.elements.map { $0["token"]?.string } == ["g1", "a1"])
  }

  @Test("the text is left out when texts are not shown")
  func hidden() throws {
    var texts = PushTexts()
    texts.showsText = false
    let root = try JSONDocument(notice(texts).body).root
    #expect(root["message"]?["message"] == nil)
    #expect(root["message"]?["message_id"]?.integer == 7)
    #expect(root["body"]?.string == "New message")
  }

  @Test("a repeated notice has the same id, another one another id")
  func id() {
    var other = notice()
    other.recipients[0].devices.removeLast()
    #expect(notice().id == notice().id)
    #expect(notice().id != other.id)
  }

  @Test(
    "only devices of the notice are rejected",
    arguments: [
      (200, #"{"rejected":[{"type":"gcm","token":"g1"}]}"#, 1),
      (200, #"{"rejected":[{"type":"gcm","token":"g2"},{"type":"apns","token":"A1"}]}"#, 1),
      (200, #"{"rejected":[{"type":"web"},7,{"token":"g1"}]}"#, 0),
      (200, #"{"rejected":"gcm"}"#, 0), (200, "", 0), (200, "<html>", 0),
      (500, #"{"rejected":[{"type":"gcm","token":"g1"}]}"#, 0),
    ])
  func rejected(status: Int, body: String, count: Int) {
    let answer = PushAnswer(status: status, body: Array(body.utf8))
    #expect(PushNoticeAnswers.rejected(by: answer, of: notice()).count == count)
  }

  @Test("other statuses are tried again")
  func outcomes() {
    #expect(PushNoticeAnswers.outcome(of: PushAnswer(status: 204), at: 0) == .sent)
    for status in [301, 400, 404, 410, 429, 500] {
      let outcome = PushNoticeAnswers.outcome(
        of: PushAnswer(status: status, retryAfter: "3"), at: 0)
      #expect(outcome == .wait(after: 3_000, PushFault(status)))
    }
  }
}
