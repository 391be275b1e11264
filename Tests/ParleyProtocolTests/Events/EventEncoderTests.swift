import ParleyProtocol
import Testing

@Suite("Events")
struct EventEncoderTests {
  private let origin = EventOrigin(channelURL: "lobby", timestamp: 1_730_000_000_000)
  private let jeff = User(id: "jeff")
  private let userJSON = #"{"user_id":"jeff","nickname":"","profile_url":""}"#

  private func event(
    _ name: String, _ params: String, durable: Bool = true
  ) -> String {
    let seq = durable ? #""seq":42,"# : ""
    return #"{"jsonrpc":"2.0","method":"\#(name)","params":{"channel_url":"lobby","#
      + seq + #""ts":1730000000000,\#(params)}}"#
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test("a message's events carry it as it was encoded")
  func messages() {
    let message = Array(#"{"message_id":1}"#.utf8)
    #expect(
      text(EventEncoder.messageReceived(origin, seq: 42, message: message))
        == event("message.received", #""message":{"message_id":1}"#))
    #expect(
      text(EventEncoder.messageUpdated(origin, seq: 42, message: message))
        == event("message.updated", #""message":{"message_id":1}"#))
    #expect(
      text(EventEncoder.messageDeleted(origin, seq: 42, messageID: 7))
        == event("message.deleted", #""message_id":7"#))
    #expect(
      text(EventEncoder.mentionReceived(origin, message: message))
        == event("mention.received", #""message":{"message_id":1}"#, durable: false))
  }

  @Test("withheld messages are told by number and range")
  func throttled() {
    #expect(
      text(EventEncoder.throttled(origin, withheld: 5, first: 11, last: 19))
        == event(
          "channel.throttled", #""withheld":5,"first_message_id":11,"last_message_id":19"#,
          durable: false))
  }

  @Test("a channel's events carry it as it was encoded")
  func channels() {
    let channel = Array(#"{"name":"x"}"#.utf8)
    let params = #""channel":{"name":"x"}"#
    #expect(
      text(EventEncoder.channelChanged(origin, seq: 42, channel: channel))
        == event("channel.changed", params))
    #expect(
      text(EventEncoder.channelDeleted(origin, seq: 42, channel: channel))
        == event("channel.deleted", params))
    #expect(
      text(EventEncoder.channelFrozen(origin, seq: 42, channel: channel))
        == event("channel.frozen", params))
    #expect(
      text(EventEncoder.channelUnfrozen(origin, seq: 42, channel: channel))
        == event("channel.unfrozen", params))
  }

  @Test("mutes and bans tell whom, for how long and why")
  func moderation() {
    let restriction = #""user":\#(userJSON),"seconds":-1,"description":"spam""#
    #expect(
      text(
        EventEncoder.userMuted(origin, seq: 42, user: jeff, seconds: -1, description: "spam"))
        == event("channel.user_muted", restriction))
    #expect(
      text(
        EventEncoder.userBanned(origin, seq: 42, user: jeff, seconds: -1, description: "spam"))
        == event("channel.user_banned", restriction))
    #expect(
      text(EventEncoder.userUnmuted(origin, seq: 42, user: jeff))
        == event("channel.user_unmuted", #""user":\#(userJSON)"#))
    #expect(
      text(EventEncoder.userUnbanned(origin, seq: 42, user: jeff))
        == event("channel.user_unbanned", #""user":\#(userJSON)"#))
    #expect(
      text(EventEncoder.operatorsChanged(origin, seq: 42, operators: [jeff]))
        == event("channel.operators_changed", #""operators":[\#(userJSON)]"#))
  }

  @Test("presence has no seq")
  func presence() {
    let params = #""user":\#(userJSON),"participant_count":3"#
    #expect(
      text(EventEncoder.userEntered(origin, user: jeff, participantCount: 3))
        == event("channel.user_entered", params, durable: false))
    #expect(
      text(EventEncoder.userExited(origin, user: jeff, participantCount: 3))
        == event("channel.user_exited", params, durable: false))
    #expect(
      text(EventEncoder.participantCount(origin, participantCount: 300))
        == event("channel.participant_count", #""participant_count":300"#, durable: false))
  }

  @Test("events of the session name no channel")
  func sessions() {
    #expect(
      text(EventEncoder.sessionExpiring(at: 1, expiresAt: 60_001))
        == #"{"jsonrpc":"2.0","method":"session.expiring","params":{"ts":1,"expires_at":60001}}"#)
    #expect(
      text(EventEncoder.serverDraining(at: 1, reconnectAfter: 250))
        == #"{"jsonrpc":"2.0","method":"server.draining","#
        + #""params":{"ts":1,"reconnect_after_ms":250}}"#)
  }

  @Test("an event is read back as a notification of a known name")
  func decoding() throws {
    let bytes = EventEncoder.messageDeleted(origin, seq: 42, messageID: 7)
    guard case .notification(let method, let params) = try RPCOutput.parse(bytes).first else {
      Issue.record("no notification")
      return
    }
    #expect(EventName(rawValue: method) == .messageDeleted)
    #expect(params?["message_id"]?.integer == 7)
  }
}
