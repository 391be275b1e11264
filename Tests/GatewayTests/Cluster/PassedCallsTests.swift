import Channels
import Cluster
import ParleyProtocol
import Testing

@testable import Gateway

@Suite("Forwarded calls")
struct PassedCallsTests {
  private static let (near, far) = (ServerID(rawValue: 1), ServerID(rawValue: 2))

  private static func address(_ number: UInt64) -> ExchangeAddress {
    ExchangeAddress(
      shard: ShardAddress(server: 3, shard: 0), connection: 7, number: number)
  }

  private static func call(_ method: String, _ number: UInt64) -> ShardMessage {
    .channel(
      url: "lobby",
      .platform(
        PlatformRequest(
          method: method, target: "/", body: [], caller: [], exchange: address(number))))
  }

  private static func answers(_ messages: [ShardMessage]) -> [String] {
    messages.map { message in
      guard case .exchange(let address, .failure(let error)) = message else { return "\(message)" }
      return "\(address.number) \(error.isMoved ? "moved" : error.message)"
    }
  }

  @Test("to a server that is gone are sent again, or have an unknown outcome")
  func lost() {
    var calls = PassedCalls(timeout: 10_000)
    calls.note(Self.call("GET", 1), to: Self.far, at: 0)
    calls.note(Self.call("PUT", 2), to: Self.far, at: 1)
    calls.note(Self.call("GET", 3), to: Self.near, at: 2)
    let lost = calls.lose(at: 5) { $0 == Self.far }
    #expect(
      Self.answers(lost) == ["1 moved", "2 \(ServiceError.outcomeIsUnknown.message)"])
    #expect(calls.count == 1)
    #expect(calls.lose(at: 5) { $0 == Self.far }.isEmpty)
  }

  @Test("a send is sent again only with a request ID that it had before")
  func unnamed() {
    var calls = PassedCalls(timeout: 10_000)
    for (number, name) in [nil, "", "name"].enumerated() {
      let order = MessageOrder(.failure(.internalError), requestID: name)
      let submission = ChannelMessage.submit(
        order, to: .open, createdAt: nil, onBehalfOf: .success(nil),
        replyTo: Self.address(UInt64(number)))
      calls.note(.channel(url: "lobby", submission), to: Self.far, at: 0)
    }
    let unknown = ServiceError.outcomeIsUnknown.message
    #expect(
      Self.answers(calls.lose(at: 5) { _ in true }) == ["0 \(unknown)", "1 \(unknown)", "2 moved"])
  }

  @Test("calls whose callers have given up are forgotten")
  func old() {
    var calls = PassedCalls(timeout: 10_000)
    calls.note(Self.call("GET", 1), to: Self.far, at: 0)
    calls.note(Self.call("GET", 2), to: Self.far, at: 9_999)
    #expect(calls.count == 2)
    calls.note(Self.call("GET", 3), to: Self.far, at: 10_000)
    #expect(calls.count == 2)
    #expect(Self.answers(calls.lose(at: 20_000) { _ in true }) == [])
  }
}
