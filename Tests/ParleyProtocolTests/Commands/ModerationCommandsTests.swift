import ParleyProtocol
import Testing

@Suite("Moderation methods")
struct ModerationCommandsTests {
  private static let whom = #""channel_url":"lobby","user_id":"u""#

  @Test(
    "a mute or ban lasts 1 second or more, or ten years",
    arguments: [
      Case(""), Case(#""seconds":-1"#), Case(#""seconds":1"#), Case(#""seconds":2147483647"#),
      Case(#""seconds":0"#, 400113, "seconds"), Case(#""seconds":-2"#, 400113, "seconds"),
      Case(#""seconds":2147483648"#, 400113, "seconds"),
      Case(#""seconds":"60""#, 400101, "seconds"), Case(#""seconds":0.5"#, 400111, "seconds"),
    ])
  func seconds(_ sample: Case) throws {
    try sample.check("channel.mute", Self.whom)
    try sample.check("channel.ban", Self.whom)
  }

  @Test("a ban's description is shorter than a mute's")
  func descriptions() throws {
    try Case(#""description":"\#(text(250))""#).check("channel.ban", Self.whom)
    try Case(#""description":"\#(text(251))""#, 400110, "description")
      .check("channel.ban", Self.whom)
    try Case(#""description":"\#(text(2048))""#).check("channel.mute", Self.whom)
    try Case(#""description":"\#(text(2049))""#, 400110, "description")
      .check("channel.mute", Self.whom)
  }

  @Test("a restriction without seconds lasts ten years")
  func defaults() throws {
    guard
      case .channel("lobby", .operation(.restrict(.mute, let mute))) = try command(
        "channel.mute", Self.whom)
    else {
      Issue.record("no channel.mute")
      return
    }
    #expect(mute.seconds == -1)
    #expect(mute.durationMilliseconds == 315_360_000_000)
    #expect(mute.description == "")
  }

  @Test(
    "a user ID is required",
    arguments: ["channel.mute", "channel.unmute", "channel.ban", "channel.unban"])
  func userID(_ method: String) throws {
    let lobby = #""channel_url":"lobby""#
    try Case("", 400105, "user_id").check(method, lobby)
    try Case(#""user_id":"\#(text(81))""#, 400305, "user_id").check(method, lobby)
    try Case(#""user_id":["u"]"#, 400100, "user_id").check(method, lobby)
  }

  @Test(
    "operators are given as a list of 1 to 100",
    arguments: [
      Case(#""user_ids":["a"]"#), Case(#""user_ids":\#(list((1...100).map(String.init)))"#),
      Case(#""user_ids":\#(list((1...101).map(String.init)))"#, 400203, "user_ids"),
      Case("", 400105, "user_ids"), Case(#""user_ids":[]"#, 400105, "user_ids"),
      Case(#""user_ids":"a""#, 400102, "user_ids"), Case(#""user_ids":[1]"#, 400100, "user_ids"),
    ])
  func operators(_ sample: Case) throws {
    try sample.check("channel.add_operators", #""channel_url":"lobby""#)
    try sample.check("channel.remove_operators", #""channel_url":"lobby""#)
  }
}
