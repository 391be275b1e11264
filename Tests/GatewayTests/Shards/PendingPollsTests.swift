import Channels
import Testing

@testable import Gateway

@Suite("Queries to several shards")
struct PendingPollsTests {
  private func address(_ number: UInt64, _ part: UInt16) -> PollAddress {
    PollAddress(shard: ShardAddress(shard: 0), number: number, part: part)
  }

  @Test("the last answer delivers all of them, in the order of the shards")
  func ordersAnswers() {
    var polls = PendingPolls()
    let number = polls.begin(parts: 3) { _ in }
    #expect(polls.take(.online(["c"]), to: address(number, 2)) == nil)
    #expect(polls.take(.online(["a"]), to: address(number, 0)) == nil)
    let found = polls.take(.online(["b"]), to: address(number, 1))?.answers
    #expect(found == [.online(["a"]), .online(["b"]), .online(["c"])])
  }

  @Test("polls are independent, and an unexpected answer changes nothing")
  func passesOver() {
    var polls = PendingPolls()
    let (first, second) = (polls.begin(parts: 2) { _ in }, polls.begin(parts: 1) { _ in })
    #expect(polls.take(.closed(userID: nil), to: address(first, 0)) == nil)
    #expect(polls.take(.closed(userID: "u"), to: address(first, 0)) == nil)
    #expect(polls.take(.closed(userID: "u"), to: address(first, 2)) == nil)
    #expect(polls.take(.closed(userID: "u"), to: address(second + 1, 0)) == nil)
    #expect(
      polls.take(.closed(userID: "u"), to: address(second, 0))?.answers == [.closed(userID: "u")])
    #expect(polls.take(.closed(userID: "u"), to: address(second, 0)) == nil)
    let answers = polls.take(.closed(userID: "u"), to: address(first, 1))?.answers
    #expect(answers == [.closed(userID: nil), .closed(userID: "u")])
  }
}
