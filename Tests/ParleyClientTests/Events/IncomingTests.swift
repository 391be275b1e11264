import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("A notification of the server")
struct IncomingTests {
  private func read(_ method: String, _ params: String) throws -> Incoming? {
    try Incoming(
      method: method, params: AnswerReader.document(params.json),
      MessageReader(fileKeys: FileKeys(serverURL: "wss://a.b")))
  }

  private func event(_ method: String, _ params: String) throws -> OpenChannelEvent? {
    let text = #"{"channel_url":"lobby","seq":4,"ts":5,\#(params),"later":{}}"#
    let incoming = try read(method, text)
    guard case .channel("lobby", let event, _) = incoming else { return nil }
    return event
  }

  @Test(
    "is read, for every name of the protocol",
    arguments: EventName.allCases.filter {
      ![
        .channelCreated, .groupCreated, .messageWithheld, .messageReport, .userReport,
        .channelReport,
      ].contains($0)
    })
  func all(name: EventName) throws {
    let params = """
      {"channel_url":"lobby","ts":5,"message":\(Sample.message()),"message_id":7,"withheld":2,
      "first_message_id":3,"last_message_id":9,"channel":\(Sample.channel()),"user":\(Sample.user),
      "operators":[],"inviter":\(Sample.user),"users":[],"member_count":3,"joined_member_count":2,
      "reason":"left","user_ids":["ann"],"reads":[{"user_id":"ann","read_at":5}],"token":"t",
      "participant_count":1,"seconds":60,"description":"loud","expires_at":99,
      "reconnect_after_ms":1500,"file_key":{"key":"k.1","expires_at":99},
      "my":\(Sample.membership),"unread_message_count":1,"unread_mention_count":1,"unread_channel_count":1,
      "invitation_count":0,"by_custom_type":{}}
      """
    #expect(try read(name.rawValue, params) != nil)
    // Each need something that an empty object does not have.
    #expect(throws: ParleyError.self) {
      try read(name.rawValue, #"{"channel_url":"lobby"}"#)
    }
  }

  @Test("is ignored when it is unknown")
  func unknown() throws {
    #expect(try read("channel.exploded", "{}") == nil)
  }

  @Test("is ignored when it is for webhooks only")
  func posted() throws {
    let params = #"{"channel_url":"lobby","seq":0,"ts":5,"channel":\#(Sample.channel())}"#
    #expect(
      try read("channel.created", params) == nil)
    let report = """
      {"channel_url":"lobby","ts":5,"id":1,"report_type":"channel","report_category":"spam",
      "channel":{"channel_url":"lobby","channel_type":"open_channels"},"created_at":5,"state":"open"}
      """
    #expect(try read("channel:report", report) == nil)
  }

  @Test("is ignored when it is for observers only")
  func observed() throws {
    let params = #"{"channel_url":"lobby","ts":5,"message_id":7,"participants":2}"#
    #expect(try read("message.withheld", params) == nil)
  }

  @Test("reports withheld messages with their range")
  func throttled() throws {
    let params = #""withheld":2,"first_message_id":3,"last_message_id":9"#
    guard case .messagesThrottled(let messages) = try event("channel.throttled", params) else {
      Issue.record("not a notice of throttling")
      return
    }
    #expect(messages == ThrottledMessages(count: 2, firstMessageID: 3, lastMessageID: 9))
  }

  @Test("contains the duration and the reason of a ban")
  func banned() throws {
    let params = #""user":\#(Sample.user),"seconds":60,"description":"loud""#
    guard case .userBanned(let user, let details) = try event("channel.user_banned", params) else {
      Issue.record("not a ban")
      return
    }
    #expect(user.userID == "jeff")
    #expect(details == RestrictionDetails(seconds: 60, description: "loud"))
  }
}
