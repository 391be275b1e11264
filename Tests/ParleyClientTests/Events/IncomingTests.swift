import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("A notification of the server")
struct IncomingTests {
  private func event(_ method: String, _ params: String) throws -> OpenChannelEvent? {
    let text = #"{"channel_url":"lobby","seq":4,"ts":5,\#(params),"later":{}}"#
    let incoming = try Incoming(method: method, params: text.json)
    guard case .channel("lobby", let event, _) = incoming else { return nil }
    return event
  }

  @Test("is read, whichever of the protocol's it is", arguments: EventName.allCases)
  func all(name: EventName) throws {
    let params = """
      {"channel_url":"lobby","ts":5,"message":\(Sample.message()),"message_id":7,"withheld":2,
      "first_message_id":3,"last_message_id":9,"channel":\(Sample.channel()),"user":\(Sample.user),
      "operators":[],"participant_count":1,"seconds":60,"description":"loud","expires_at":99,
      "reconnect_after_ms":1500}
      """
    #expect(try Incoming(method: name.rawValue, params: params.json) != nil)
    // `mention.received` and the others each need something that an empty object does not have.
    #expect(throws: ParleyError.self) {
      try Incoming(method: name.rawValue, params: #"{"channel_url":"lobby"}"#.json)
    }
  }

  @Test("is passed over when it is not known")
  func unknown() throws {
    #expect(try Incoming(method: "channel.exploded", params: "{}".json) == nil)
  }

  @Test("tells messages withheld with their range")
  func throttled() throws {
    let params = #""withheld":2,"first_message_id":3,"last_message_id":9"#
    guard case .messagesThrottled(let messages) = try event("channel.throttled", params) else {
      Issue.record("not a notice of throttling")
      return
    }
    #expect(messages == ThrottledMessages(count: 2, firstMessageID: 3, lastMessageID: 9))
  }

  @Test("tells how long a ban is and why")
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
