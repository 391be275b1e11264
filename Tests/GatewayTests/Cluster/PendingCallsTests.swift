import Channels
import Cluster
import ParleyProtocol
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

  /// Sends the calls of these numbers again, which are to be those that are due.
  private func repeatCalls(
    _ wanted: [Int], at now: Int64, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let due = takeRepetitions(at: now)
    #expect(numbers(due) == wanted, sourceLocation: sourceLocation)
    for call in due { calls.resume(call, as: call.message, to: other, at: now) }
  }

  private func end(_ number: Int, at now: Int64) -> PendingCalls.Verdict {
    calls.end(.session(reply(number)), at: now)
  }

  private func postpone(_ number: Int, at now: Int64) -> PendingCalls.Verdict {
    calls.postpone(.session(reply(number)), at: now)
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

  @Test("when the cluster excludes this server, a call ends within a second at any stage")
  func over() {
    #expect(begin(1, send("a"), to: server) && begin(2, send("b"), to: nil))
    calls.end(at: 100)
    #expect(begin(3, to: nil, at: 200) && begin(4, to: server, at: 200))
    #expect(numbers(calls.takeExpired(at: 200)) == [1, 4])
    #expect(end(3, at: 300) == .deliver)
    #expect(numbers(calls.takeExpired(at: 1_099)) == [])
    #expect(numbers(calls.takeExpired(at: 1_100)) == [2])
    #expect(end(2, at: 1_200) == .drop)
  }

  @Test("a response is delivered once, even for a call that was never kept")
  func delivers() {
    #expect(begin(1, to: server))
    #expect(end(1, at: 1) == .deliver)
    #expect(calls.isEmpty)
    #expect(end(2, at: 1) == .deliver)
  }

  @Test("calls lost with a server are repeated in order, except for changes")
  func loses() {
    for (number, command) in [
      send("a"), .view, .operation(.freeze(true)), send("b"), .operation(.delete),
    ].enumerated() {
      #expect(begin(number, command, to: number == 1 ? other : server))
    }
    let server = server
    #expect(numbers(lose(at: 5) { $0.server == server }) == [2, 4])
    repeatCalls([0], at: 5)
    #expect(takeRepetitions(at: 5).isEmpty)
    // Of two answers the first counts; the outcome of a change is unknown for good.
    #expect(end(0, at: 6) == .doubt)
    #expect(end(0, at: 7) == .drop)
    repeatCalls([3], at: 7)
    #expect(!calls.hasRepetitions)
    #expect(end(2, at: 7) == .drop)
  }

  @Test("a call refused by a moved home is sent again after a pause, and later calls wait")
  func pauses() {
    #expect(begin(1, send("a"), to: server))
    #expect(postpone(1, at: 100) == .wait)
    #expect(!begin(2, send("b"), to: other, at: 110))
    #expect(begin(3, send("c"), to: other, at: 110, url: "elsewhere"))
    #expect(takeRepetitions(at: 149).isEmpty)
    #expect(calls.hasRepetitions)
    repeatCalls([1], at: 150)
    // The next pause is longer.
    #expect(postpone(1, at: 200) == .wait)
    #expect(takeRepetitions(at: 299).isEmpty)
    repeatCalls([1], at: 300)
    #expect(end(1, at: 310) == .doubt)
    repeatCalls([2], at: 310)
  }

  @Test("while a send is uncertain, later sends in its channel wait for its response")
  func keepsOrder() {
    for number in 1...3 { #expect(begin(number, send("\(number)"), to: server)) }
    #expect(lose(at: 5) { $0.server == server }.isEmpty)
    #expect(!begin(4, send("4"), to: other, at: 6))
    #expect(begin(5, .view, to: other, at: 6))
    #expect(begin(6, send("6"), to: other, at: 6, url: "elsewhere"))
    repeatCalls([1], at: 6)
    // Its home has moved once more: the others wait on.
    #expect(postpone(1, at: 10) == .wait)
    repeatCalls([1], at: 110)
    #expect(!calls.mayGoOn)
    #expect(end(1, at: 120) == .doubt)
    #expect(calls.mayGoOn)
    // Until the others are on their way, no new one overtakes them.
    #expect(!begin(7, send("7"), to: other, at: 120))
    repeatCalls([2, 3, 4, 7], at: 120)
    #expect(!calls.mayGoOn)
    #expect(begin(8, send("8"), to: other, at: 121))
  }

  @Test("when a channel's home moves, sends wait for those under way to the old home")
  func followsHomes() {
    #expect(begin(1, send("1"), to: server))
    #expect(begin(2, send("2"), to: server, url: "elsewhere"))
    calls.homesDidChange { $0 == "room" }
    #expect(!begin(3, send("3"), to: other))
    #expect(begin(4, send("4"), to: server, url: "elsewhere"))
    #expect(takeRepetitions(at: 1).isEmpty)
    #expect(!begin(5, send("5"), to: other, at: 1))
    // The old home's answer says nothing of the new one.
    #expect(end(1, at: 2) == .deliver)
    repeatCalls([3], at: 2)
    #expect(takeRepetitions(at: 2).isEmpty)
    #expect(end(3, at: 3) == .deliver)
    repeatCalls([5], at: 3)
  }

  @Test("a send waiting for its channel's home is not overtaken after the pause")
  func followsPauses() {
    // Another call has found the home moved.
    #expect(begin(1, .view, to: server))
    #expect(postpone(1, at: 0) == .wait)
    #expect(!begin(2, send("2"), to: other, at: 10))
    #expect(!begin(3, send("3"), to: other, at: 60))
    repeatCalls([1, 2], at: 60)
    #expect(end(2, at: 70) == .deliver)
    repeatCalls([3], at: 70)
  }

  @Test("an abandoned send blocks no other send")
  func freesLanes() {
    #expect(begin(1, send("1"), to: server))
    calls.homesDidChange { _ in true }
    #expect(!begin(2, send("2"), to: other, at: 100))
    #expect(numbers(calls.takeExpired(at: 10_000)) == [1])
    repeatCalls([2], at: 10_000)
    #expect(numbers(calls.takeExpired(at: 10_100)) == [2])
    #expect(takeRepetitions(at: 10_100).isEmpty)
    #expect(begin(3, send("3"), to: other, at: 10_100))
  }

  @Test("a repeated send may have been carried out before, whatever its error is now")
  func doubts() {
    for (number, command) in [send("a"), send("b"), .view].enumerated() {
      #expect(begin(number, command, to: server))
    }
    #expect(end(0, at: 1) == .deliver)
    let server = server
    #expect(lose(at: 5) { $0.server == server }.isEmpty)
    repeatCalls([1, 2], at: 5)
    #expect(end(1, at: 6) == .doubt && end(2, at: 6) == .deliver)
  }

  @Test("a refusal that may pass leaves the outcome of a repeated send unknown")
  func passingRefusals() {
    let passing: [ServiceError] = [
      .frozen("c"), .muted("c"), .banned("c"), .notInChannel("c"), .internalError,
      .flood(retryAfter: 1, limit: 5, window: 1_000),
    ]
    for error in passing {
      let outcome = CallOutcome.failure(error).ofRepeatedSend
      guard case .failure(let shown) = outcome else {
        Issue.record("\(error)")
        continue
      }
      #expect(shown.code == .internalError && shown.data.outcome == "unknown")
    }
    for error in [ServiceError.missing("message"), .notFound(.channel, "c")] {
      #expect(CallOutcome.failure(error).ofRepeatedSend == .failure(error))
    }
    #expect(CallOutcome.success([1]).ofRepeatedSend == .success([1]))
  }

  @Test("a send that finds no home before its timeout may still have been forwarded")
  func doubtsTheLastRefusal() {
    for (number, command) in [send("a"), .view, .operation(.freeze(true))].enumerated() {
      #expect(begin(number, command, to: server))
    }
    let verdicts = (0..<3).map { postpone($0, at: 10_000) }
    #expect(verdicts == [.doubt, .deliver, .deliver])
  }

  @Test("a change refused by a home that has moved is sent again")
  func repeatsRefusedChanges() {
    #expect(begin(1, .operation(.freeze(true)), to: nil))
    #expect(postpone(1, at: 0) == .wait)
    #expect(numbers(takeRepetitions(at: 50)) == [1])
  }

  @Test("calls to other servers time out; calls that this server may have forwarded, later")
  func expires() {
    #expect(begin(1, to: server, at: 100))
    #expect(begin(2, to: nil, at: 100))
    #expect(begin(3, .operation(.freeze(true)), to: other, at: 200))
    #expect(takeExpired(at: 10_099).isEmpty)
    #expect(numbers(takeExpired(at: 10_100)) == [1])
    #expect(numbers(takeExpired(at: 10_200)) == [3])
    #expect(end(1, at: 10_300) == .drop)
    #expect(takeExpired(at: 20_099).isEmpty)
    #expect(numbers(takeExpired(at: 20_100)) == [2])
    #expect(end(2, at: 20_300) == .drop)
    // What is kept of them ends too.
    #expect(takeExpired(at: 30_100).isEmpty)
    #expect(calls.isEmpty)
  }

  @Test("a call whose home cannot be found is not repeated forever")
  func givesUp() {
    #expect(begin(1, to: server))
    var (now, attempts): (Int64, Int) = (0, 0)
    while postpone(1, at: now) == .wait {
      now += 1_000
      for call in takeRepetitions(at: now) {
        calls.resume(call, as: call.message, to: server, at: now)
      }
      attempts += 1
    }
    #expect(now == 10_000 && attempts == 10)
    #expect(calls.count == 0)
  }

  @Test("an entry request is sent again while it waits")
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
