import ParleyProtocol
import Store
import Testing

@testable import Gateway

@Suite("The progress of erasures")
struct ErasureProgressTests {
  @Test("phases follow one another, and then the next user with a pseudonym of its own")
  func phases() {
    var progress = ErasureProgress(pseudonym: "one")
    var course: [String] = []
    for _ in 0..<8 {
      course.append("\(progress.user) \(progress.phase.rawValue) \(progress.pseudonym)")
      progress.place = "7"
      progress.endPhase(nextPseudonym: "two")
      #expect(progress.place.isEmpty)
    }
    #expect(
      course == [
        "0 messages one", "0 channels one", "0 account one", "0 groups one", "0 mentions one",
        "0 events one",
        "0 remains one",
        "1 messages two",
      ])
  }

  @Test("a progress survives being stored")
  func storing() {
    var progress = ErasureProgress(pseudonym: "erased-1")
    for place in ["", "5:7:9"] {
      progress.place = place
      #expect(ErasureProgress(progress.text) == progress)
    }
    for text in ["", "0", "0 nothing x ", "x messages y z"] {
      #expect(ErasureProgress(text) == nil)
    }
  }

  @Test(
    "the parameters of a request survive being stored",
    arguments: [
      #"{"action":"access","user_ids":["ada"]}"#,
      #"{"action":"delete","user_ids":["ada","bob"],"messages":"keep","channel_delete_option":"1_on_1"}"#,
    ])
  func parameters(_ body: String) throws {
    let parameters = try PrivacyParameters(Fields(body: Array(body.utf8)))
    #expect(PrivacyParameters(params: parameters.json) == parameters)
    #expect(PrivacyParameters(params: "{}") == nil)
  }
}
