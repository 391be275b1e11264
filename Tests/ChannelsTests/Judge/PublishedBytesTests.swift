import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: encoded events")
struct PublishedBytesTests {
  private static func user(_ id: String) -> String {
    #"{"user_id":"\#(id)","nickname":"\#(id.uppercased())","profile_url":""}"#
  }

  private static func channel(
    name: String = "", isFrozen: Bool = false, operators: [String] = ["boss"],
    isEphemeral: Bool = false
  ) -> String {
    #""channel":{"channel_url":"lobby","name":"\#(name)","cover_url":"","data":"","#
      + #""custom_type":"","is_ephemeral":\#(isEphemeral),"freeze":\#(isFrozen),"#
      + #""participant_count":4,"max_length_message":5000,"#
      + #""operators":[\#(operators.map(user).joined(separator: ","))],"created_at":0}"#
  }

  private static func message(_ text: String, updatedAt: Int = 0) -> String {
    #""message":{"type":"MESG","message_id":10000000000,"channel_url":"lobby","#
      + #""channel_type":"open_channels","user":\#(user("ann")),"message":"\#(text)","data":"","#
      + #""custom_type":"","mention_type":"users","mentioned_users":[],"sorted_metaarray":[],"#
      + #""og_tag":null,"translations":{},"file":null,"req_id":"","created_at":10000000,"#
      + #""updated_at":\#(updatedAt)}"#
  }

  /// Commands, with the members of the events that they lead to.
  private static let steps: [(command: ChannelCommand, by: String, method: String, String)] = [
    (.send("x"), "ann", "message.received", message("x")),
    (
      .updateMessage(10_000_000_000, MessageChanges(text: "y")), "ann", "message.updated",
      message("y", updatedAt: 10_000_000)
    ),
    (.deleteMessage(10_000_000_000), "boss", "message.deleted", #""message_id":10000000000"#),
    (.update(ChannelFields(name: "Tea")), "boss", "channel.changed", channel(name: "Tea")),
    (
      .addOperators(["cat"]), "boss", "channel.operators_changed",
      #""operators":[\#(user("boss")),\#(user("cat"))]"#
    ),
    (
      .freeze, "boss", "channel.frozen",
      channel(name: "Tea", isFrozen: true, operators: ["boss", "cat"])
    ),
    (
      .unfreeze, "boss", "channel.unfrozen", channel(name: "Tea", operators: ["boss", "cat"])
    ),
    (
      .mute("ben", seconds: 60), "boss", "channel.user_muted",
      #""user":\#(user("ben")),"seconds":60,"description":"""#
    ),
    (.unmute(userID: "ben"), "boss", "channel.user_unmuted", #""user":\#(user("ben"))"#),
    (
      .ban("away", seconds: 60, "spam"), "boss", "channel.user_banned",
      #""user":\#(user("away")),"seconds":60,"description":"spam""#
    ),
    (.unban(userID: "away"), "boss", "channel.user_unbanned", #""user":\#(user("away"))"#),
    (.delete, "boss", "channel.deleted", channel(name: "Tea", operators: ["boss", "cat"])),
  ]

  @Test("match the contract, for every event that a command causes")
  func everyEvent() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 100, windowMilliseconds: 1000))
    for (index, step) in Self.steps.enumerated() {
      #expect(try rig.perform(step.command, by: step.by).error == nil)
      let event = try #require(rig.events.last)
      #expect(
        String(decoding: event.payload, as: UTF8.self)
          == #"{"jsonrpc":"2.0","method":"\#(step.method)","params":{"channel_url":"lobby","#
          + #""seq":\#(index + 1),"ts":10000000,\#(step.3)}}"#)
    }
    #expect(rig.events.count == Self.steps.count)
  }
}
