import TestSupport
import Testing

@testable import ParleyClient

@Suite("A call about pushes")
struct PushCallsTests {
  private static let preferences =
    #"{"preferences":{"push_trigger_option":"mention_only","do_not_disturb":true,"start_hour":22,"#
    + #""start_min":30,"end_hour":6,"end_min":15,"dnd_schedules":[],"timezone":"Europe/Berlin","#
    + #""snooze_enabled":true,"snooze_start_ts":5,"snooze_end_ts":9,"push_sound":"bell","#
    + #""template":"alternative","later":1}}"#

  private func read<Value>(_ call: Call<Value>, _ answer: String) throws -> Value {
    try call.read(AnswerReader.document(answer.json))
  }

  @Test("names the token, and what it replaces")
  func registering() {
    #expect(
      params(PushCalls.register("0a", .apns, isUnique: false, deviceID: nil))
        == #"{"type":"apns","token":"0a"}"#)
    #expect(
      params(PushCalls.register("t", .gcm, isUnique: true, deviceID: "d"))
        == #"{"type":"gcm","token":"t","unique":true,"device_id":"d"}"#)
  }

  @Test("removes one token or all")
  func unregistering() {
    #expect(params(PushCalls.unregister("0a", .apns)) == #"{"type":"apns","token":"0a"}"#)
    #expect(
      params(PushCalls.unregister("https://a.b", .web))
        == #"{"type":"web","endpoint":"https://a.b"}"#)
    #expect(params(PushCalls.unregisterAll) == #"{"all":true}"#)
  }

  @Test("lists the tokens, without those of unknown types")
  func tokens() throws {
    let tokens = try read(
      PushCalls.tokens,
      #"""
      {"tokens":[{"type":"web","token":"12345678","device_id":"d","created_at":3,"last_success_at":4},
        {"type":"pigeon","token":"12345678","device_id":"","created_at":3,"last_success_at":0}]}
      """#)
    #expect(
      tokens == [
        PushToken(
          type: .web, tokenSuffix: "12345678", deviceID: "d", createdAt: 3, lastSuccessAt: 4)
      ])
    for answer in ["{}", #"{"tokens":[{"type":"web"}]}"#, #"{"tokens":7}"#] {
      #expect(throws: ParleyError.self) { try read(PushCalls.tokens, answer) }
    }
  }

  @Test("changes one choice, and returns it")
  func choosing() throws {
    let calls = [
      params(PushPreferenceCalls.choose(.mentionOnly)),
      params(PushPreferenceCalls.doNotDisturb(true, 22, 30, 6, 15, "Europe/Berlin")),
      params(PushPreferenceCalls.snooze(true, 5, 9)),
      params(PushPreferenceCalls.choose(sound: "bell")),
      params(PushPreferenceCalls.choose(.alternative)),
      params(PushPreferenceCalls.trigger),
    ]
    #expect(
      calls == [
        #"{"push_trigger_option":"mention_only"}"#,
        #"{"do_not_disturb":true,"start_hour":22,"start_min":30,"end_hour":6,"end_min":15,"#
          + #""timezone":"Europe/Berlin"}"#,
        #"{"snooze_enabled":true,"snooze_start_ts":5,"snooze_end_ts":9}"#,
        #"{"push_sound":"bell"}"#, #"{"template":"alternative"}"#, "{}",
      ])
    #expect(try read(PushPreferenceCalls.trigger, Self.preferences) == .mentionOnly)
    #expect(try read(PushPreferenceCalls.sound, Self.preferences) == "bell")
    #expect(try read(PushPreferenceCalls.template, Self.preferences) == .alternative)
    let window = try read(PushPreferenceCalls.doNotDisturb, Self.preferences)
    #expect(window.isEnabled && window.timezone == "Europe/Berlin")
    #expect([window.startHour, window.startMin, window.endHour, window.endMin] == [22, 30, 6, 15])
    let snooze = try read(PushPreferenceCalls.snooze, Self.preferences)
    #expect(snooze.isEnabled && snooze.startTimestamp == 5 && snooze.endTimestamp == 9)
    #expect(throws: ParleyError.self) { try read(PushPreferenceCalls.trigger, "{}") }
  }

  @Test("chooses for one group, which then has the choice")
  func group() throws {
    let core = ClientCore(bufferedEvents: 10)
    let group = try core.knownGroup()
    #expect(group.myPushTriggerOption == .default)
    let call = GroupCalls.prefer("trip", GroupChannelPushTriggerOption.off).map(group.setOwn)
    #expect(params(call) == #"{"channel_url":"trip","push_trigger_option":"off"}"#)
    let my = Sample.membership.dropLast() + #","push_trigger_option":"mention_only"}"#
    try read(call, #"{"my":\#(my)}"#)
    #expect(group.myPushTriggerOption == .mentionOnly)
  }

  @Test("finds the message in the payload of APNs and of FCM")
  func payload() throws {
    let url = "trip"
    let object: [String: Any] = ["type": "message", "channel_url": url, "message_id": 7]
    let json = #"{"type":"message","channel_url":"trip","message_id":7}"#
    let payloads: [[AnyHashable: Any]] = [["parley": object, "aps": 1], ["parley": json]]
    for payload in payloads {
      let message = try #require(PushedMessage(payload: payload))
      #expect(
        params(message.marking) == #"{"channels":[{"channel_url":"trip","message_id":7}]}"#)
    }
    let others: [[AnyHashable: Any]] = [
      [:], ["parley": 7], ["parley": "{"], ["parley": #"{"type":"badge"}"#],
      ["parley": ["type": "read", "channel_url": url]],
    ]
    for payload in others { #expect(PushedMessage(payload: payload) == nil) }
  }
}
