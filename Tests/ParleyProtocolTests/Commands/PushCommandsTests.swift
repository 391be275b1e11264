import ParleyProtocol
import Testing

@Suite("Methods of push")
struct PushCommandsTests {
  /// Why a reader refuses members; `nil` when it accepts them.
  private func refusal<Value>(
    _ members: String, _ read: (Fields) throws -> Value
  ) throws -> Refusal? {
    do {
      _ = try read(try parameters(members))
      return nil
    } catch let error as ServiceError {
      return Refusal(error)
    }
  }

  // MARK: Registering

  private static let p256dh =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
  private static let auth = "BTBZMqHH6r4Tts7J_aSIgg"

  private static func web(
    endpoint: String = "https://push.example/send/1", p256dh: String = p256dh, auth: String = auth
  ) -> String {
    #""type":"web","subscription":{"endpoint":"\#(endpoint)","keys":"#
      + #"{"p256dh":"\#(p256dh)","auth":"\#(auth)"}}"#
  }

  @Test("a subscription as a browser writes it")
  func subscription() throws {
    let members = #""expirationTime":null,"#
    let call = try PushRegister(
      parameters(Self.web().replacing(#""endpoint""#, with: members + #""endpoint""#)))
    guard case .subscription(let subscription) = call.address else {
      Issue.record("no subscription")
      return
    }
    #expect(call.type == .web && !call.isUnique && call.deviceID.isEmpty)
    #expect(subscription.endpoint == "https://push.example/send/1")
    #expect(subscription.publicKey.count == 65 && subscription.publicKey.first == 4)
    #expect(subscription.secret.count == 16)
    let padded = try PushRegister(
      parameters(Self.web(p256dh: Self.p256dh + "=", auth: Self.auth + "==")))
    #expect(padded == call)
  }

  @Test("subscriptions that are refused")
  func badSubscriptions() throws {
    let long = "https://push.example/" + String(repeating: "a", count: 2_028)
    let cases: [(String, Refusal?)] = [
      (Self.web(), nil),
      (Self.web(endpoint: String(long.prefix(2_048))), nil),
      (Self.web(endpoint: long), Refusal(400_110, "endpoint")),
      (Self.web(endpoint: "http://push.example/"), Refusal(400_111, "endpoint")),
      (Self.web(endpoint: "https://a:b@push.example/"), Refusal(400_111, "endpoint")),
      (Self.web(endpoint: "https://push.example/#x"), Refusal(400_111, "endpoint")),
      (Self.web(endpoint: "https://push.example/a b"), Refusal(400_111, "endpoint")),
      (Self.web(endpoint: "https:///x"), Refusal(400_111, "endpoint")),
      (Self.web(endpoint: ""), Refusal(400_105, "endpoint")),
      (Self.web(p256dh: ""), Refusal(400_105, "p256dh")),
      (Self.web(p256dh: "AAAA"), Refusal(400_111, "p256dh")),
      (Self.web(p256dh: Self.p256dh + "AA"), Refusal(400_111, "p256dh")),
      (Self.web(p256dh: String(repeating: "a", count: 129)), Refusal(400_110, "p256dh")),
      (Self.web(auth: "BTBZMqHH6r4Tts7J_aSI"), Refusal(400_111, "auth")),
      (Self.web(auth: "!!!!"), Refusal(400_111, "auth")),
      (#""type":"web""#, Refusal(400_105, "subscription")),
      (#""type":"web","subscription":{"endpoint":"https://a.example/"}"#, Refusal(400_105, "keys")),
      (#""type":"web","subscription":"x""#, Refusal(400_103, "subscription")),
      (#""type":"web","token":"x""#, Refusal(400_105, "subscription")),
    ]
    for (members, expected) in cases {
      #expect(try refusal(members) { try PushRegister($0) } == expected, "\(members)")
    }
  }

  @Test("tokens")
  func tokens() throws {
    let cases: [(String, Refusal?)] = [
      (#""type":"gcm","token":"fcm:APA91b-_""#, nil),
      (#""type":"gcm","token":"\#(String(repeating: "a", count: 4_096))""#, nil),
      (
        #""type":"gcm","token":"\#(String(repeating: "a", count: 4_097))""#,
        Refusal(400_110, "token")
      ),
      (#""type":"gcm","token":"a b""#, Refusal(400_111, "token")),
      (#""type":"gcm","token":"ä""#, Refusal(400_111, "token")),
      (#""type":"gcm","token":"""#, Refusal(400_105, "token")),
      (#""type":"gcm""#, Refusal(400_105, "token")),
      (#""type":"gcm","token":5"#, Refusal(400_100, "token")),
      (#""type":"apns","token":"00ffAA""#, nil),
      (#""type":"apns","token":"../x""#, Refusal(400_111, "token")),
      (#""type":"huawei","token":"x""#, nil),
      (#""type":"fax","token":"x""#, Refusal(400_111, "type")),
      (#""token":"x""#, Refusal(400_105, "type")),
      (#""type":"gcm","token":"x","unique":1"#, Refusal(400_104, "unique")),
      (
        #""type":"gcm","token":"x","device_id":"\#(String(repeating: "a", count: 129))""#,
        Refusal(400_110, "device_id")
      ),
    ]
    for (members, expected) in cases {
      #expect(try refusal(members) { try PushRegister($0) } == expected, "\(members)")
    }
    let call = try PushRegister(
      parameters(#""type":"apns","token":"00ffAA","unique":true,"device_id":"phone""#))
    #expect(call.address == .token("00ffaa") && call.isUnique && call.deviceID == "phone")
  }

  @Test("unregistering")
  func unregister() throws {
    func call(_ members: String) throws -> PushUnregister {
      try PushUnregister(parameters(members))
    }
    #expect(try call(#""all":true"#) == .all)
    #expect(try call(#""type":"web""#) == .type(.web))
    #expect(try call(#""type":"apns","token":"AB""#) == .token(.apns, name: "ab"))
    #expect(
      try call(#""type":"web","endpoint":"https://a.example/""#)
        == .token(.web, name: "https://a.example/"))
    for (members, expected) in [
      ("", Refusal(400_105, "type")), (#""all":false"#, Refusal(400_105, "type")),
      (#""all":true,"type":"web""#, Refusal(400_920, "type")),
      (#""type":"web","token":"x""#, Refusal(400_920, "token")),
      (#""type":"gcm","endpoint":"x""#, Refusal(400_920, "endpoint")),
    ] {
      #expect(try refusal(members) { try PushUnregister($0) } == expected, "\(members)")
    }
  }

  // MARK: Preferences

  @Test(
    "preferences that are refused",
    arguments: [
      (#""push_trigger_option":"some""#, 400_111, "push_trigger_option"),
      (#""do_not_disturb":"yes""#, 400_104, "do_not_disturb"),
      (#""start_hour":24"#, 400_113, "start_hour"), (#""start_hour":-1"#, 400_106, "start_hour"),
      (#""start_min":60"#, 400_113, "start_min"), (#""end_hour":25"#, 400_113, "end_hour"),
      (#""end_min":1.5"#, 400_111, "end_min"), (#""end_min":"5""#, 400_101, "end_min"),
      (#""timezone":"../etc/passwd""#, 400_111, "timezone"),
      (#""timezone":"""#, 400_111, "timezone"),
      (#""timezone":"Europe//Berlin""#, 400_111, "timezone"),
      (#""timezone":"/Berlin""#, 400_111, "timezone"), (#""timezone":"a.b""#, 400_111, "timezone"),
      (#""timezone":"\#(String(repeating: "a", count: 65))""#, 400_110, "timezone"),
      (#""timezone":5"#, 400_100, "timezone"),
      (#""snooze_start_ts":-1"#, 400_106, "snooze_start_ts"),
      (#""snooze_start_ts":10,"snooze_end_ts":9"#, 400_113, "snooze_end_ts"),
      (#""push_sound":"\#(String(repeating: "a", count: 129))""#, 400_110, "push_sound"),
      (#""template":"other""#, 400_111, "template"),
      (#""dnd_schedules":{}"#, 400_102, "dnd_schedules"),
      (#""dnd_schedules":[1]"#, 400_103, "dnd_schedules"),
      (#""dnd_schedules":[{}]"#, 400_105, "day_of_week"),
      (#""dnd_schedules":[{"day_of_week":"mon","time_windows":[]}]"#, 400_111, "day_of_week"),
      (#""dnd_schedules":[{"day_of_week":"monday"}]"#, 400_105, "time_windows"),
      (#""dnd_schedules":[{"day_of_week":"monday","time_windows":[{}]}]"#, 400_105, "start_hour"),
      (
        #""dnd_schedules":[{"day_of_week":"monday","time_windows":[]},{"day_of_week":"monday","time_windows":[]}]"#,
        400_111, "dnd_schedules"
      ),
      (
        #""dnd_schedules":[{"day_of_week":"monday","time_windows":[{"start_hour":1,"end_hour":24}]}]"#,
        400_113, "end_hour"
      ),
    ] as [(String, Int, String)])
  func badPreferences(members: String, code: Int, field: String) throws {
    #expect(
      try refusal(members) { try PushPreferencesChange($0) } == Refusal(code, field), "\(members)")
  }

  @Test("changes keep what they do not name")
  func changes() throws {
    func apply(
      _ members: String, _ old: PushPreferences = PushPreferences()
    ) throws -> PushPreferences {
      try PushPreferencesChange(parameters(members)).applied(to: old)
    }
    #expect(try apply("") == PushPreferences())
    #expect(try PushPreferencesChange(parameters("")).isEmpty)
    #expect(try !PushPreferencesChange(parameters(#""start_hour":0"#)).isEmpty)
    var all = try apply(
      #"""
      "push_trigger_option":"mention_only","do_not_disturb":true,"start_hour":22,"start_min":30,
      "end_hour":6,"end_min":15,"timezone":"Europe/Berlin","snooze_enabled":true,
      "snooze_start_ts":1,"snooze_end_ts":2,"push_sound":"bell.caf","template":"alternative"
      """#)
    #expect(all.window == DayWindow(start: 22 * 60 + 30, end: 6 * 60 + 15))
    #expect(try PushPreferences(json: node(text(all))) == all)
    let later = try apply(#""start_min":0,"end_hour":7,"push_sound":"""#, all)
    #expect(later.window == DayWindow(start: 22 * 60, end: 7 * 60 + 15))
    #expect(later.sound == "default" && later.timeZone == "Europe/Berlin")
    // Windows by day replace the daily one, and the other way round.
    all = try apply(
      #"""
      "dnd_schedules":[{"day_of_week":"monday","time_windows":[{"start_hour":22,"end_hour":6}]},
      {"day_of_week":"sunday","time_windows":[]}]
      """#, all)
    #expect(!all.doNotDisturb && all.schedules.map(\.day) == [.monday, .sunday])
    #expect(all.schedules[0].windows == [DayWindow(start: 22 * 60, end: 6 * 60)])
    #expect(try PushPreferences(json: node(text(all))) == all)
    #expect(try apply(#""do_not_disturb":true"#, all).schedules.isEmpty)
    #expect(try apply(#""dnd_schedules":[]"#, all).schedules.isEmpty)
  }

  @Test("preferences as they are without a choice")
  func defaults() {
    #expect(
      text(PushPreferences()) == """
        {"push_trigger_option":"all","do_not_disturb":false,"start_hour":0,"start_min":0,"end_hour":0,\
        "end_min":0,"dnd_schedules":[],"timezone":"UTC","snooze_enabled":false,"snooze_start_ts":0,\
        "snooze_end_ts":0,"push_sound":"default","template":"default"}
        """)
  }

  private func text(_ preferences: PushPreferences) -> String {
    String(decoding: JSONWriter.bytes { preferences.encode(into: &$0) }, as: UTF8.self)
  }

  @Test("the option of a channel holds, or the user's own")
  func triggers() {
    #expect(ChannelPushTriggerOption.default.resolved(.mentionOnly) == .mentionOnly)
    #expect(ChannelPushTriggerOption.all.resolved(.off) == .all)
    #expect(ChannelPushTriggerOption.mentionOnly.resolved(.all) == .mentionOnly)
    #expect(ChannelPushTriggerOption.off.resolved(.all) == .off)
  }

  @Test("the Platform API writes false for off")
  func channelTrigger() throws {
    func option(_ value: String) throws -> ChannelPushTriggerOption? {
      try parameters(#""push_trigger_option":\#(value)"#).channelPushTrigger()
    }
    #expect(try parameters("").channelPushTrigger() == nil)
    #expect(try option(#""default""#) == .default)
    #expect(try option(#""mention_only""#) == .mentionOnly)
    for value in ["false", #""false""#, #""off""#] { #expect(try option(value) == .off) }
    #expect(
      try refusal(#""push_trigger_option":"some""#) { try $0.channelPushTrigger() }
        == Refusal(400_111, "push_trigger_option"))
    #expect(
      try refusal(#""push_trigger_option":true"#) { try $0.channelPushTrigger() }
        == Refusal(400_100, "push_trigger_option"))
  }

  @Test("templates of the Platform API replace the title, the body or both")
  func templates() throws {
    func template(_ members: String) throws -> PushMessageTemplate {
      try PushMessageTemplate(parameters(members))
    }
    #expect(
      try template(#""title":"Shop","body":"x""#) == PushMessageTemplate(title: "Shop", body: "x"))
    #expect(try template(#""body":"x""#) == PushMessageTemplate(body: "x"))
    #expect(
      try refusal(#""title":"a\nb""#) { try PushMessageTemplate($0) } == Refusal(400_151, "title"))
  }
}
