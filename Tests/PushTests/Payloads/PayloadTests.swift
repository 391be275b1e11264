import ParleyProtocol
import TestSupport
import Testing

@testable import Push

@Suite("Payloads")
struct PayloadTests {
  private func notification(
    _ text: String = "see swift.org", type: MessageType = .user, channelName: String = "Team",
    nickname: String = "Jeff", data: String = "", customType: String = "",
    preferences: PushPreferences = PushPreferences(), texts: PushTexts = PushTexts(),
    template: PushMessageTemplate? = nil
  ) -> PushNotification {
    let message = Message(
      id: 42, type: type, channelURL: "team",
      user: type == .admin ? nil : User(id: "jeff", nickname: nickname), text: text, data: data,
      customType: customType, createdAt: 1_700_000_000_000, ordinal: 1)
    return PushNotification(
      of: message, channelName: channelName, badge: 3, preferences: preferences, texts: texts,
      template: template)
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private let reference = """
    "type":"message","channel_url":"team","channel_name":"Team","message_id":42,"custom_type":"",\
    "data":"","unread_message_count":3,"ts":1700000000000
    """

  @Test("a Web Push message, byte for byte")
  func web() {
    #expect(
      text(WebPayload.message(notification()))
        == #"{\#(reference),"title":"Jeff · Team","body":"see swift.org"}"#)
  }

  @Test("a message by APNs, byte for byte")
  func apns() {
    #expect(
      text(APNsPayload.message(notification())) == """
        {"aps":{"alert":{"title":"Jeff · Team","body":"see swift.org"},"badge":3,"sound":"default",\
        "thread-id":"team","mutable-content":1},"parley":{\(reference)}}
        """)
  }

  @Test("a message by FCM, shown by the system or as data")
  func fcm() throws {
    func root(_ style: FCMPayload.Style) throws -> JSONNode {
      let payload = FCMPayload.message(notification(), to: "tok", style: style, lifetime: 86_400)
      return try #require(try JSONDocument(payload).root["message"])
    }
    let shown = try root(.notification)
    #expect(shown["token"]?.string == "tok")
    #expect(shown["notification"]?["title"]?.string == "Jeff · Team")
    #expect(shown["notification"]?["body"]?.string == "see swift.org")
    #expect(shown["data"]?["parley"]?.string == "{\(reference)}")
    #expect(shown["android"]?["priority"]?.string == "HIGH")
    #expect(shown["android"]?["ttl"]?.string == "86400s")
    #expect(shown["android"]?["notification"]?["tag"]?.string == "42")
    let data = try root(.data)
    #expect(data["notification"] == nil && data["android"]?["notification"] == nil)
    #expect(
      data["data"]?["parley"]?.string
        == #"{\#(reference),"title":"Jeff · Team","body":"see swift.org"}"#)
  }

  @Test("titles name the sender and the channel")
  func titles() {
    #expect(notification(channelName: "").title == "Jeff")
    #expect(notification(nickname: "").title == "jeff · Team")
    #expect(notification(type: .admin).title == "Team")
    #expect(notification(type: .admin, channelName: "").title == "Parley")
  }

  @Test("bodies of files, hidden texts and templates")
  func bodies() {
    #expect(notification("", type: .file).body == "Jeff sent a file")
    #expect(notification(nickname: "{sender}").title == "{sender} · Team")
    var alternative = PushPreferences()
    alternative.template = .alternative
    let hidden = notification(data: "secret", preferences: alternative)
    #expect(hidden.body == "New message" && hidden.data.isEmpty)
    var texts = PushTexts()
    (texts.showsText, texts.hidden) = (false, "…")
    #expect(notification(texts: texts).body == "…")
    #expect(notification("", type: .file, texts: texts).body == "…")
    let template = PushMessageTemplate(title: "Shop", body: "Your order")
    let templated = notification(preferences: alternative, template: template)
    #expect(templated.title == "Shop" && templated.body == "Your order")
  }

  @Test("pushes without an alert")
  func silent() {
    #expect(
      text(APNsPayload.silent(.badge(4)))
        == #"{"aps":{"badge":4},"parley":{"type":"badge","unread_message_count":4}}"#)
    #expect(
      text(APNsPayload.silent(.read(channelURL: "team", badge: 0))) == """
        {"aps":{"badge":0,"content-available":1},"parley":{"type":"read","channel_url":"team",\
        "unread_message_count":0}}
        """)
    #expect(
      text(FCMPayload.silent(.read(channelURL: "team", badge: 0), to: "tok", lifetime: 60)) == #"""
        {"message":{"token":"tok","data":{"parley":"{\"type\":\"read\",\"channel_url\":\"team\",\#
        \"unread_message_count\":0}"},"android":{"priority":"NORMAL","ttl":"60s"}}}
        """#)
  }

  /// The payloads of all ways, with their limits and the bodies that devices show.
  private func payloads(
    _ notification: PushNotification
  ) throws -> [(bytes: [UInt8], limit: Int, body: String)] {
    let web = WebPayload.message(notification)
    let apns = APNsPayload.message(notification)
    let fcm = FCMPayload.message(notification, to: "t", style: .notification, lifetime: 60)
    let data = FCMPayload.message(notification, to: "t", style: .data, lifetime: 60)
    let fcmRoot = try JSONDocument(fcm).root["message"]
    let dataText = try #require(
      try JSONDocument(data).root["message"]?["data"]?["parley"]?.string)
    return [
      (web, 3_000, try JSONDocument(web).root["body"]?.string ?? ""),
      (apns, 4_096, try JSONDocument(apns).root["aps"]?["alert"]?["body"]?.string ?? ""),
      (fcm, 4_096 + 3, fcmRoot?["notification"]?["body"]?.string ?? ""),
      (data, 4_096 + 3, try JSONDocument(dataText).root["body"]?.string ?? ""),
    ]
  }

  @Test("long bodies are cut at a character, and use the room that there is")
  func cut() throws {
    let family = "👨‍👩‍👧‍👦"
    for character in ["a", "ä", "\"", "\u{1}", "漢", family, "e\u{301}"] {
      let body = String(repeating: character, count: 5_000)
      for payload in try payloads(notification(body)) {
        #expect(payload.bytes.count <= payload.limit)
        let step = JSONWriter.bytes { $0.value(character) }.count * 4
        #expect(payload.bytes.count > payload.limit - step, "\(character)")
        #expect(payload.body.hasSuffix("…"))
        let shown = payload.body.dropLast()
        #expect(!shown.isEmpty && shown == body.prefix(shown.count))
      }
    }
  }

  @Test("a body that just fits is not cut")
  func exactFit() throws {
    let rest = 3_000 - WebPayload.message(notification("")).count
    let whole = String(repeating: "a", count: rest)
    #expect(WebPayload.message(notification(whole)).count == 3_000)
    let payload = WebPayload.message(notification(whole + "a"))
    #expect(payload.count <= 3_000)
    #expect(try JSONDocument(payload).root["body"]?.string == whole.dropLast(3) + "…")
  }

  @Test("data of the application goes before the body does, unless it is small")
  func data() throws {
    func web(_ text: String, dataCount: Int) throws -> (data: String, body: String) {
      let data = String(repeating: "d", count: dataCount)
      let root = try JSONDocument(WebPayload.message(notification(text, data: data))).root
      return (root["data"]?.string ?? "", root["body"]?.string ?? "")
    }
    let text = String(repeating: "a", count: 2_500)
    #expect(try web("short", dataCount: 2_000).data.count == 2_000)
    #expect(try web(text, dataCount: 2_000) == ("", text))
    #expect(try web(text, dataCount: 700).data.count == 700)
    #expect(try web(text, dataCount: 700).body.hasSuffix("…"))
    for payload in try payloads(notification(data: String(repeating: "d", count: 16_384))) {
      #expect(payload.bytes.count <= payload.limit && payload.body == "see swift.org")
    }
  }

  @Test("the largest names and any texts fit")
  func hostile() throws {
    var generator = SeededGenerator(seed: 5)
    let samples = ["\"", "\\", "漢", "👨‍👩‍👧‍👦", "a", "\u{7}", "e\u{301}\u{302}\u{303}"]
    func text(_ limit: Int) -> String {
      let sample = samples[Int.random(in: 0..<samples.count, using: &generator)]
      let count = Int.random(in: 0...limit, using: &generator)
      return String(String(repeating: sample, count: count).unicodeScalars.prefix(limit))
    }
    for _ in 0..<25 {
      var preferences = PushPreferences()
      preferences.sound = text(128)
      let notification = notification(
        text(5_000), channelName: text(191), nickname: text(80), data: text(4_096),
        customType: text(128), preferences: preferences)
      for payload in try payloads(notification) { #expect(payload.bytes.count <= payload.limit) }
    }
    // One character of thousands of scalars.
    let tower = "e" + String(repeating: "\u{301}", count: 4_999)
    for payload in try payloads(notification(tower)) {
      #expect(payload.bytes.count <= payload.limit && payload.body == "…")
    }
    let template = PushMessageTemplate(
      title: String(repeating: "\"", count: 5_000), body: String(repeating: "\\", count: 5_000))
    for payload in try payloads(notification(template: template)) {
      #expect(payload.bytes.count <= payload.limit)
    }
  }
}
