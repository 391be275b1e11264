import ParleyProtocol
import Testing

@testable import Hooks

@Suite("Answers of the app's back end")
struct HookAnswerTests {
  private func answer(
    _ text: String, to hook: HookName = .messageSend
  ) throws(HookProblem) -> HookAnswer {
    try HookAnswer(Array(text.utf8), to: hook)
  }

  private func denial(_ text: String, to hook: HookName = .messageSend) throws -> ServiceError {
    guard case .denied(let error) = try answer(text, to: hook) else { throw NoDenial() }
    return error
  }

  private struct NoDenial: Error {}

  @Test(
    "anything but an object with a true or false 'allow' is no answer",
    arguments: [
      "", "<html>", "[]", "{}", "null", #"{"allow":"yes"}"#, #"{"allow":1}"#, #"{"allow":null}"#,
      #"{"allow":true,"allow":false}"#, #"{"allow":true"#, #"{"allow":true,"changes":[]}"#,
      #"{"allow":true,"changes":"x"}"#,
      #"{"allow":true,"x":\#(String(repeating: "[", count: 20))\#(String(repeating: "]", count: 20))}"#,
    ])
  func invalid(text: String) {
    #expect(throws: HookProblem.self) { try answer(text) }
  }

  @Test("an answer of more than 64 KiB is none")
  func large() {
    let text = #"{"allow":true,"x":"\#(String(repeating: "y", count: 65_536))"}"#
    #expect(throws: HookProblem.self) { try answer(text) }
  }

  @Test("changes without an effect on the call are none")
  func irrelevant() throws {
    for text in [
      #"{"allow":true}"#, #"{"allow":true,"changes":null}"#, #"{"allow":true,"changes":{}}"#,
      #"{"allow":true,"changes":{"user_id":"evil","message":null}}"#,
    ] {
      guard case .allowed(nil) = try answer(text) else {
        Issue.record("\(text) has changes")
        continue
      }
    }
    guard case .allowed(_?) = try answer(#"{"allow":true,"changes":{"message":"x"}}"#) else {
      throw NoDenial()
    }
    guard
      case .allowed(nil) = try answer(
        #"{"allow":true,"changes":{"message":"x"}}"#, to: .channelEnter)
    else { throw NoDenial() }
  }

  @Test("a refusal has the app's code, text and details, or defaults for invalid ones")
  func denials() throws {
    let full = try denial(#"{"allow":false,"code":910001,"message":"no","data":{"rule":7}}"#)
    #expect(full.code.rawValue == 910_001 && full.message == "no")
    #expect(full.data.application == #"{"rule":7}"#)
    #expect(
      JSONWriter.bytes { full.data.encode(into: &$0) } == Array(#"{"rule":7}"#.utf8))
    for code in ["0", "909999", "920000", "-1", "1e400", "\"910001\"", "400302", "null"] {
      let text = #"{"allow":false,"code":\#(code),"message":"a\u0000b","data":[1]}"#
      let error = try denial(text)
      #expect(error.code == .notAllowed && error.data.application == nil)
      #expect(!error.message.isEmpty && !error.message.utf8.contains(0))
    }
    #expect(
      try denial(#"{"allow":false,"code":400302}"#, to: .sessionOpen).code == .invalidAccessToken)
    let long = try denial(
      #"{"allow":false,"message":"\#(String(repeating: "é", count: 300))","data":{"x":"\#(String(repeating: "y", count: 1_100))"}}"#
    )
    #expect(long.message.unicodeScalars.count == 250 && long.data.application == nil)
  }

  @Test("changes of an opening are judged like a user's values")
  func openings() throws {
    let open = SessionOpen(userID: "jeff", accessToken: nil)
    func changed(_ json: String, namesUser: Bool = false) throws -> SessionOpen {
      guard
        case .allowed(let changes?) = try answer(
          #"{"allow":true,"changes":\#(json)}"#, to: .sessionOpen)
      else { throw NoDenial() }
      return try open.changed(by: changes, CustomDataLimits(), at: 1_000, namesUser: namesUser)
    }
    let all = try changed(
      #"{"user_id":"evil","nickname":"J","metadata":{"a":"b"},"expires_at":1001,"data":{"x":[1]}}"#)
    #expect(all.userID == "jeff" && all.nickname == "J" && all.terms.metadata == ["a": "b"])
    #expect(all.terms.expiresAt == 1_001 && all.terms.data == Array(#"{"x":[1]}"#.utf8))
    #expect(try changed(#"{"user_id":"ann"}"#, namesUser: true).userID == "ann")
    for json in [
      #"{"expires_at":1000}"#, #"{"nickname":"a\nb"}"#, #"{"profile_url":"javascript:x"}"#,
      #"{"data":"\#(String(repeating: "x", count: 4_096))"}"#, #"{"metadata":{"a":1}}"#,
    ] {
      #expect(throws: ServiceError.self) { try changed(json) }
    }
    #expect(throws: ServiceError.self) { try changed(#"{"nickname":"J"}"#, namesUser: true) }
  }
}
