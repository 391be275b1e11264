import Testing

@testable import ParleyClient

@Suite("A request about a channel")
struct ChannelCallsTests {
  @Test("contains the given values and omits the rest")
  func create() {
    let given = OpenChannelCreateParams(name: "A \"quoted\" name", channelURL: "lobby")
    given.operatorUserIDs = ["ann"]
    given.isEphemeral = true
    #expect(
      params(ChannelCalls.create(given.values))
        == #"{"name":"A \"quoted\" name","channel_url":"lobby","operator_ids":["ann"],"#
        + #""is_ephemeral":true}"#)
    #expect(params(ChannelCalls.create(OpenChannelCreateParams().values)) == "{}")
    let update = OpenChannelUpdateParams(name: "", data: "d")
    #expect(
      params(ChannelCalls.update("lobby", update.values))
        == #"{"channel_url":"lobby","name":"","data":"d"}"#)
  }

  @Test("contains the ID of the uploaded picture")
  func pictures() {
    var created = OpenChannelCreateParams(name: "Lobby").values
    created.pictureFileID = "f1"
    #expect(params(ChannelCalls.create(created)) == #"{"name":"Lobby","cover_file_id":"f1"}"#)
    var changed = OpenChannelUpdateParams().values
    changed.pictureFileID = "f2"
    #expect(
      params(ChannelCalls.update("lobby", changed))
        == #"{"channel_url":"lobby","cover_file_id":"f2"}"#)
    var user = UserUpdateParams(nickname: "Ann").values
    user.pictureFileID = "f3"
    #expect(params(SessionCalls.updateUser(user)) == #"{"nickname":"Ann","profile_file_id":"f3"}"#)
  }

  @Test("reports to the engine which channels are entered and left")
  func effects() {
    #expect(ChannelCalls.enter("lobby").request.channel == .enter("lobby"))
    #expect(ChannelCalls.exit("lobby").request.channel == .exit("lobby"))
    #expect(ChannelCalls.delete("lobby").request.channel == .delete("lobby"))
    #expect(ChannelCalls.get("lobby").request.channel == nil)
  }

  @Test("is repeated only if repeating it is safe")
  func repeatability() {
    #expect(ChannelCalls.get("lobby").request.repeatability == .safe)
    #expect(ChannelCalls.enter("lobby").request.repeatability == .safe)
    #expect(ChannelCalls.create(OpenChannelCreateParams().values).request.repeatability == .once)
    #expect(ChannelCalls.freeze("lobby").request.repeatability == .once)
  }

  @Test("mutes and bans for the given time")
  func restrictions() {
    let forever = UserRestriction(userID: "kim", seconds: nil, description: nil)
    let short = UserRestriction(userID: "kim", seconds: 60, description: "loud")
    #expect(
      params(ChannelCalls.mute("lobby", forever)) == #"{"channel_url":"lobby","user_id":"kim"}"#)
    let expected =
      #"{"channel_url":"lobby","user_id":"kim","seconds":60,"description":"loud"}"#
    #expect(params(ChannelCalls.ban("lobby", short)) == expected)
    #expect(ChannelCalls.ban("lobby", short).request.method == "channel.ban")
  }

  @Test("reads the channel, and the number of participants after entering")
  func answers() throws {
    let answer = #"{"channel":\#(Sample.channel()),"participant_count":9,"seq":4}"#
    let entered = try ChannelCalls.enter("lobby").outcome(.success(answer.json)).get()
    #expect(entered.participantCount == 9)
    #expect(entered.isEphemeral)
    #expect(entered.maxMessageLength == 4000)
    #expect(entered.operators.map(\.userID) == ["jeff"])
  }

  @Test(
    "reports the missing member of the response",
    arguments: [
      ("{}", "'channel' is missing"), (#"{"channel":{}}"#, "'channel_url' of a channel is missing"),
      ("[", "at byte 1"), (#"{"channel":\#(Sample.channel())}"#, "'participant_count' is missing"),
    ])
  func missing(answer: String, reason: String) throws {
    let outcome = ChannelCalls.enter("lobby").outcome(.success(answer.json))
    let error = #expect(throws: ParleyError.self) { try outcome.get() }
    guard case .malformedAnswer(let text) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(text.contains(reason))
  }

  @Test("returns a refusal unchanged")
  func refusal() {
    let outcome = ChannelCalls.get("lobby").outcome(.failure(.banned))
    #expect(throws: ParleyError.banned) { try outcome.get() }
  }
}
