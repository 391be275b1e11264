import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("Commands of a channel")
struct ChannelCommandTests {
  private func operation(_ command: ChannelCommand) -> ChannelOperation? {
    guard case .operation(let operation) = command.task(of: .platform) else { return nil }
    return operation
  }

  @Test("each command is one task of the judge")
  func tasks() {
    let operations: [ChannelCommand] = [
      .update(ChannelFields()), .delete, .freeze, .unfreeze, .addOperators([]),
      .removeOperators([]), .removeAllOperators, .mute("ann"), .unmute(userID: "ann"),
      .ban("ann"), .changeBan(userID: "ann", seconds: 1, description: nil), .unban(userID: "ann"),
    ]
    #expect(operations.allSatisfy { operation($0) != nil })
    guard
      case .change(ofMessage: 3, .deletion) = ChannelCommand.deleteMessage(3).task(of: .platform),
      case .viewMessage(4) = ChannelCommand.viewMessage(4).task(of: .platform),
      case .send = ChannelCommand.send("x").task(of: .platform),
      case .view = ChannelCommand.view.task(of: .platform)
    else { return #expect(Bool(false)) }
  }

  @Test("the parameter that names operators is the door's own")
  func fields() {
    let command = ChannelCommand.addOperators(["ann"])
    for (principal, name) in [
      (Principal.platform, "operator_ids"), (.participant("x"), "user_ids"),
    ] {
      guard case .operation(.addOperators(_, let field)) = command.task(of: principal) else {
        return #expect(Bool(false))
      }
      #expect(field == name)
    }
  }

  @Test("restrictions and bans count the bytes of their descriptions")
  func sizes() {
    #expect(operation(.ban("ann", "spam"))?.byteCount == 4)
    let change = ChannelCommand.changeBan(userID: "ann", seconds: nil, description: "abc")
    #expect(operation(change)?.byteCount == 3 && operation(.freeze)?.byteCount == 0)
  }
}
