import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("Resolution of unknown outcomes")
struct SettlementTests {
  private var settlement = Settlement(.send(7))
  private var actions = JudgeActions()
  private let now = Moment(unix: 5, monotonic: 6)

  private mutating func take(_ input: JudgeInput) -> Settlement.Step {
    settlement.take(input, at: now, into: &actions)
  }

  private func command(_ number: UInt64) -> JudgeInput {
    .command(.freeze, by: .platform, call: .platform(number))
  }

  @Test("inputs wait in order, with their times")
  mutating func holds() throws {
    for number in [UInt64(1), 2] {
      guard case .wait = take(command(number)) else { return #expect(Bool(false)) }
    }
    guard case .wait = take(.entered(userID: "ann")) else { return #expect(Bool(false)) }
    guard case .wait = take(.logged(.send(8), .success(.withdrawn))) else {
      return #expect(Bool(false))
    }
    let held = settlement.takeHeld()
    #expect(held.count == 4 && held.allSatisfy { $0.time == now })
    guard case .command(.operation(.freeze(true)), _, .platform(1)) = held[0].input else {
      return #expect(Bool(false))
    }
    #expect(actions.isEmpty)
  }

  @Test("the result of the read ends the wait")
  mutating func ends() {
    guard case .end(.message(nil)) = take(.logged(.send(7), .success(.read(.message(nil))))) else {
      return #expect(Bool(false))
    }
  }

  @Test("commands are refused if the log could not be read, and other inputs keep waiting")
  mutating func fails() {
    _ = take(command(1))
    _ = take(.left(userID: "ann"))
    guard case .fail = take(.logged(.send(7), .failure(.overloaded))) else {
      return #expect(Bool(false))
    }
    var refused: [CallID] = []
    while let action = actions.next() {
      if case .answer(let call, .failure) = action { refused.append(call) }
    }
    #expect(refused == [.platform(1)])
    #expect(settlement.takeHeld().count == 1)
  }

  @Test("after a failure the next command causes a new read of the log, and waits for it")
  mutating func asksAgain() {
    _ = take(.logged(.send(7), .failure(.overloaded)))
    guard case .read = take(command(1)), case .wait = take(command(2)) else {
      return #expect(Bool(false))
    }
    guard case .wait = take(.deadline) else { return #expect(Bool(false)) }
    #expect(actions.isEmpty && settlement.takeHeld().count == 2)
  }

  @Test("a deadline causes a new read of the log only after a failure")
  mutating func retries() {
    guard case .wait = take(.deadline) else { return #expect(Bool(false)) }
    _ = take(.logged(.send(7), .failure(.closed)))
    guard case .read = take(.deadline) else { return #expect(Bool(false)) }
  }
}
