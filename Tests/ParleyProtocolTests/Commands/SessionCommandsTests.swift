import ParleyProtocol
import Testing

@Suite("Session methods")
struct SessionCommandsTests {
  @Test(
    "session.open",
    arguments: [
      Case(#""user_id":"\#(text(80))""#), Case(#""user_id":"\#(text(80, "é"))""#),
      Case(#""user_id":"\#(text(81))""#, 400305, "user_id"),
      Case(#""user_id":"""#, 400105, "user_id"), Case(""),
      Case(#""user_id":1"#, 400100, "user_id"),
      Case(#""user_id":"a\nb""#, 400151, "user_id"),
      Case(#""user_id":"u","nickname":"\#(text(80))""#),
      Case(#""user_id":"u","nickname":"\#(text(81))""#, 400110, "nickname"),
      Case(#""user_id":"u","nickname":1"#, 400100, "nickname"),
      Case(#""user_id":"u","profile_url":"http://\#(text(2041))""#),
      Case(#""user_id":"u","profile_url":"""#), Case(#""user_id":"u","profile_url":"HTTPS://a""#),
      Case(#""user_id":"u","profile_url":"javascript:alert(1)""#, 400111, "profile_url"),
      Case(#""user_id":"u","profile_url":"//a.example/x""#, 400111, "profile_url"),
      Case(#""user_id":"u","profile_url":"https://""#, 400111, "profile_url"),
      Case(#""user_id":"u","profile_url":"\#(text(2049))""#, 400110, "profile_url"),
      Case(#""user_id":"u","access_token":"\#(text(8192))""#),
      Case(#""user_id":"u","access_token":"\#(text(8193))""#, 400110, "access_token"),
    ])
  func open(_ sample: Case) throws {
    try sample.check("session.open")
  }

  @Test("values given at opening are distinguished from absent ones")
  func openValues() throws {
    guard
      case .sessionOpen(let open) = try command(
        "session.open", #""user_id":"u","access_token":"t","nickname":"""#)
    else {
      Issue.record("no session.open")
      return
    }
    #expect(open.userID == "u")
    #expect(open.accessToken == "t")
    #expect(open.nickname == "")
    #expect(open.profileURL == nil)
    #expect(open.hearsGroups)
  }

  @Test("a session may leave out the events of groups")
  func openWithoutGroups() throws {
    for (value, hearsGroups) in [("true", true), ("false", false), ("null", true)] {
      guard
        case .sessionOpen(let open) = try command(
          "session.open", #""user_id":"u","groups":\#(value)"#)
      else {
        Issue.record("no session.open")
        return
      }
      #expect(open.hearsGroups == hearsGroups)
    }
    #expect(
      try refusal("session.open", #""user_id":"u","groups":1"#) == Refusal(400104, "groups"))
  }

  @Test(
    "session.refresh",
    arguments: [
      Case(#""access_token":"t""#), Case("", 400105, "access_token"),
      Case(#""access_token":"""#, 400105, "access_token"),
    ])
  func refresh(_ sample: Case) throws {
    try sample.check("session.refresh")
  }

  private static func metadata(_ count: Int) -> String {
    let items = (0..<count).map { "\"k\($0)\":\"v\"" }
    return #""metadata":{\#(items.joined(separator: ","))}"#
  }

  @Test(
    "user.update",
    arguments: [
      Case(""), Case(#""nickname":"n""#), Case(metadata(25)),
      Case(metadata(26), 400203, "metadata"), Case(#""metadata":[]"#, 400103, "metadata"),
      Case(#""metadata":{"k":1}"#, 400100, "metadata"), Case(#""metadata":{"k":null}"#),
      Case(#""metadata":{"":"v"}"#, 400105, "metadata"),
      Case(#""metadata":{"\#(text(128))":"v"}"#),
      Case(#""metadata":{"\#(text(129))":"v"}"#, 400110, "metadata"),
      Case(#""metadata":{"k":"\#(text(190))"}"#),
      Case(#""metadata":{"k":"\#(text(191))"}"#, 400110, "metadata"),
    ])
  func update(_ sample: Case) throws {
    try sample.check("user.update")
  }
}
