import ArgumentParser
import ParleyProtocol
import Testing

@testable import parley

@Suite("Pushes, as the command line shows them")
struct PushTextTests {
  private func text(_ answer: String, _ lines: (JSONNode) -> [String]) throws -> String {
    lines(try JSONDocument(answer).root).joined(separator: "\n")
  }

  @Test("the status has each way, the backlog and the tokens")
  func status() throws {
    let shown = try text(
      """
      {"ways":[{"type":"web","state":"on","sent":12,"failed":1,"last_success_at":1700000000000,
        "last_failure_at":0},
       {"type":"apns","state":"failing","sent":0,"failed":20,"last_success_at":0,
        "last_failure_at":1700000000000,"last_error":"status 403, InvalidProviderToken"}],
       "paused_hosts":["api.push.apple.com"],
       "backlog":7,"oldest_ms":65000,"tokens":{"web":2,"apns":1,"gcm":0,"huawei":0},
       "web_key":"BDj"}
      """, PushText.lines(ofStatus:))
    for part in [
      "web", "12", "failing", "api.push.apple.com", "status 403, InvalidProviderToken",
      "7, the oldest for 1 min 5 s", "2 web, 1 apns, 0 gcm, 0 huawei", "BDj",
    ] {
      #expect(shown.contains(part), "\(part) in \(shown)")
    }
  }

  @Test("the status says that no way is set up")
  func nothing() throws {
    let shown = try text(
      #"{"ways":[],"backlog":0,"oldest_ms":0,"tokens":{"web":0}}"#, PushText.lines(ofStatus:))
    #expect(shown.hasPrefix("no pushes") && shown.contains("waiting  0"), "\(shown)")
  }

  @Test("the list has the ends of the tokens only")
  func tokens() throws {
    let answer = """
      {"devices":[{"type":"gcm","token":"secret-and-long-12345678","device_id":"phone",
        "created_at":1700000000000,"last_success_at":0}]}
      """
    let shown = try text(answer) { PushText.lines(ofTokenAnswers: [$0, $0]) }
    #expect(shown.split(separator: "\n").count == 3 && shown.contains(" 12345678 "), "\(shown)")
    #expect(!shown.contains("secret") && shown.contains("phone"), "\(shown)")
    #expect(PushText.lines(ofTokenAnswers: []) == [])
  }

  @Test("a test has the answer for each token")
  func test() throws {
    let shown = try text(
      #"{"results":[{"type":"web","token":"1234","outcome":"rejected","reason":"status 410"}]}"#,
      PushText.lines(ofTest:))
    #expect(shown.contains("rejected") && shown.contains("status 410"), "\(shown)")
    #expect(try text(#"{"results":[]}"#, PushText.lines(ofTest:)) == "no tokens")
  }

  @Test("an explanation has the reason in words, also a reason that this version does not know")
  func explanation() throws {
    let reason = #"{"user_id":"jeff","message_id":7,"pushed":false,"reason":"snoozed","tokens":[]}"#
    let shown = try text(reason, PushText.lines(ofExplanation:))
    #expect(shown.contains("snoozed: the user has snoozed pushes"), "\(shown)")
    let other = try text(
      reason.replacing("snoozed", with: "eclipse"), PushText.lines(ofExplanation:))
    #expect(other.contains("eclipse"), "\(other)")
    let pushed = try text(
      #"{"user_id":"jeff","message_id":7,"pushed":true,"tokens":[]}"#,
      PushText.lines(ofExplanation:))
    #expect(pushed.contains("pushed   yes") && !pushed.contains("reason"), "\(pushed)")
  }

  @Test("a token is named whole, or by its end if only one token has it")
  func ends() throws {
    let tokens = ["abc-12345678", "abd-12345678", "12345678", "xyz-87654321"]
    #expect(try PushTokenList.whole("12345678", among: tokens) == "12345678")
    #expect(try PushTokenList.whole("c-12345678", among: tokens) == "abc-12345678")
    #expect(try PushTokenList.whole("87654321", among: tokens) == "xyz-87654321")
    for text in ["-12345678", "7654321", "00000000"] {
      #expect(throws: CommandFailure.self) { try PushTokenList.whole(text, among: tokens) }
    }
  }

  @Test(
    "a removal names one token, or all",
    arguments: [
      ["remove", "jeff"], ["remove", "jeff", "--type", "apns"], ["remove", "jeff", "--token", "x"],
      ["remove", "jeff", "--all", "--type", "apns"], ["explain", "jeff"],
      ["remove", "jeff", "--type", "fax", "--token", "x"], ["explain", "jeff", "seven"],
    ])
  func incomplete(arguments: [String]) {
    #expect(throws: (any Error).self) { try PushCommand.parseAsRoot(arguments) }
  }
}
