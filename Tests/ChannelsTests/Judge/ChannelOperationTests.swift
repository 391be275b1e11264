import ParleyProtocol
import Testing

@testable import Channels

@Suite("Operations on a channel")
struct ChannelOperationTests {
  private func byteCount(_ command: ChannelCommand) -> Int? {
    guard case .operation(let operation) = command else { return nil }
    return operation.byteCount
  }

  @Test("the error names the operator list parameter of the API in use")
  func fields() throws {
    let ids = (0...Limits.operatorCount).map { "user-\($0)" }
    let rig = try JudgeRig()
    for (principal, name) in [
      (Principal.platform, "operator_ids"), (.participant("boss"), "user_ids"),
    ] {
      let outcome = try rig.perform(.addOperators(ids), by: principal)
      guard case .failure(let error) = outcome else { return #expect(Bool(false)) }
      #expect(error == .tooMany(name, limit: Limits.operatorCount))
    }
  }

  @Test("restrictions and bans include their descriptions in their byte count")
  func sizes() {
    #expect(byteCount(.ban("ann", "spam")) == 4)
    let change = ChannelCommand.changeBan(userID: "ann", seconds: nil, description: "abc")
    #expect(byteCount(change) == 3 && byteCount(.freeze) == 0)
  }
}
