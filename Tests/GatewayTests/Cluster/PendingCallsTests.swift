import Channels
import Cluster
import ParleyProtocol
import ShardMessages
import Testing

@testable import Gateway

@Suite("Calls that wait for a home")
final class PendingCallsTests {
  private var calls = PendingCalls(timeout: 10_000)
  private let server = ServerID(rawValue: 7)
  private let other = ServerID(rawValue: 8)

  private func reply(_ number: Int) -> ReplyAddress {
    ReplyAddress(
      session: .sample(1), ticket: CallTicket(unit: number, index: 0), id: nil, isPaid: true)
  }

  private func call(
    _ number: Int, _ command: ChannelCommand = .view, url: String = "room"
  ) -> (ShardMessage, AnswerAddress) {
    let principal = SessionPrincipal(user: User(id: "ann"), session: .sample(1))
    let message = ShardMessage.channel(
      url: url, .command(command, by: principal, replyTo: reply(number)))
    return (message, .session(reply(number)))
  }

  private func send(_ text: String) -> ChannelCommand {
    .send(MessageOrder(.failure(.internalError), requestID: text))
  }

  private func begin(
    _ number: Int, _ command: ChannelCommand = .view, to server: ServerID?, at now: Int64 = 0,
    url: String = "room"
  ) -> Bool {
    let (message, address) = call(number, command, url: url)
    return calls.begin(message, address, to: server, at: now)
  }

  private func numbers(_ calls: [PendingCalls.Call]) -> [Int] {
    calls.compactMap { call in
      guard case .session(let address) = call.address else { return nil }
      return address.ticket.unit
    }
  }

  private func begin(_ message: ShardMessage) -> Bool {
    calls.begin(message, .session(reply(1)), to: server, at: 0)
  }

  private func end(
    _ address: AnswerAddress, moved: Bool = false, at now: Int64
  ) -> PendingCalls.Verdict {
    calls.end(address, moved: moved, at: now)
  }

  private func lose(
    at now: Int64, where isLost: (PendingCalls.Call) -> Bool
  ) -> [PendingCalls.Call] {
    calls.lose(at: now, where: isLost)
  }

  private func takeRepetitions(at now: Int64) -> [PendingCalls.Call] {
    calls.takeRepetitions(at: now)
  }

  private func takeExpired(at now: Int64) -> [PendingCalls.Call] { calls.takeExpired(at: now) }

  @Test("when the cluster goes on without this server, a call ends within a second wherever it is")
  func over() {
    #expect(begin(1, send("a"), to: server) && begin(2, send("b"), to: nil))
    calls.end(at: 100)
    #expect(begin(3, to: nil, at: 200) && begin(4, to: server, at: 200))
    #expect(numbers(calls.takeExpired(at: 200)) == [1, 4])
    #expect(end(.session(reply(3)), at: 300) == .deliver)
    #expect(numbers(calls.takeExpired(at: 1_099)) == [])
    #expect(numbers(calls.takeExpired(at: 1_100)) == [2])
    #expect(end(.session(reply(2)), at: 1_200) == .drop)
  }

  @Test("an answer is delivered once, and so is one to a call that was never kept")
  func delivers() {
    #expect(begin(1, to: server))
    #expect(end(.session(reply(1)), at: 1) == .deliver)
    #expect(calls.isEmpty)
    #expect(end(.session(reply(2)), at: 1) == .deliver)
  }

  @Test("what a server had is repeated in its order when it is lost, but for changes")
  func loses() {
    for (number, command) in [send("a"), .view, .freeze, send("b"), .delete].enumerated() {
      #expect(begin(number, command, to: number == 1 ? other : server))
    }
    let server = server
    #expect(numbers(lose(at: 5) { $0.server == server }) == [2, 4])
    let repeated = takeRepetitions(at: 5)
    #expect(numbers(repeated) == [0, 3])
    for call in repeated { calls.resume(call, as: call.message, to: other, at: 5) }
    #expect(takeRepetitions(at: 5).isEmpty)
    #expect(!calls.hasRepetitions)
    // Of two answers the first counts; the outcome of a change is unknown for good.
    #expect(end(.session(reply(0)), at: 6) == .deliver)
    #expect(end(.session(reply(0)), at: 7) == .drop)
    #expect(end(.session(reply(2)), at: 7) == .drop)
  }

  @Test("a call that has found another home is sent again after a pause, and those behind it wait")
  func pauses() {
    #expect(begin(1, send("a"), to: server))
    #expect(end(.session(reply(1)), moved: true, at: 100) == .wait)
    #expect(!begin(2, send("b"), to: other, at: 110))
    #expect(begin(3, send("c"), to: other, at: 110, url: "elsewhere"))
    #expect(takeRepetitions(at: 149).isEmpty)
    #expect(calls.hasRepetitions)
    let due = takeRepetitions(at: 150)
    #expect(numbers(due) == [1, 2])
    for call in due { calls.resume(call, as: call.message, to: other, at: 150) }
    // The next pause is longer.
    #expect(end(.session(reply(1)), moved: true, at: 200) == .wait)
    #expect(takeRepetitions(at: 299).isEmpty)
    #expect(numbers(takeRepetitions(at: 300)) == [1])
  }

  @Test("a change that was refused by a home that has moved is sent again")
  func repeatsRefusedChanges() {
    #expect(begin(1, .freeze, to: nil))
    #expect(end(.session(reply(1)), moved: true, at: 0) == .wait)
    #expect(numbers(takeRepetitions(at: 50)) == [1])
  }

  @Test("calls to other servers end with their time, those that this one may have passed on later")
  func expires() {
    #expect(begin(1, to: server, at: 100))
    #expect(begin(2, to: nil, at: 100))
    #expect(begin(3, .freeze, to: other, at: 200))
    #expect(takeExpired(at: 10_099).isEmpty)
    #expect(numbers(takeExpired(at: 10_100)) == [1])
    #expect(numbers(takeExpired(at: 10_200)) == [3])
    #expect(end(.session(reply(1)), at: 10_300) == .drop)
    #expect(takeExpired(at: 20_099).isEmpty)
    #expect(numbers(takeExpired(at: 20_100)) == [2])
    #expect(end(.session(reply(2)), at: 20_300) == .drop)
    // What is kept of them ends too.
    #expect(takeExpired(at: 30_100).isEmpty)
    #expect(calls.isEmpty)
  }

  @Test("a home that has moved to nowhere is not sought for ever")
  func givesUp() {
    #expect(begin(1, to: server))
    var (now, attempts): (Int64, Int) = (0, 0)
    while end(.session(reply(1)), moved: true, at: now) == .wait {
      now += 1_000
      for call in takeRepetitions(at: now) {
        calls.resume(call, as: call.message, to: server, at: now)
      }
      attempts += 1
    }
    #expect(now == 10_000 && attempts == 10)
    #expect(calls.count == 0)
  }

  @Test("a request to enter is sent again while it waits")
  func renewsEntries() {
    let principal = SessionPrincipal(user: User(id: "ann"), session: .sample(1))
    let request = EnterRequest(principal: principal, recover: nil, address: reply(1))
    let message = ShardMessage.user(id: "ann", .enter(request, channelURL: "room"))
    #expect(begin(message))
    #expect(begin(2, to: server))
    calls.renewEntries(at: 2_499)
    #expect(!calls.hasRepetitions)
    calls.renewEntries(at: 2_500)
    #expect(numbers(takeRepetitions(at: 2_500)) == [1])
  }
}
