import ClientTransport
import TestSupport
import Testing

@testable import ParleyClient

@Suite("Choice of a transport", .onOwnThreads)
struct TransportChoiceTests {
  private static let hour: Int64 = 3_600_000

  @Test("begins with a WebSocket, and tries a stream after two refusals within ten seconds")
  func refusals() {
    var choice = TransportChoice()
    #expect(choice.transport(at: 0) == .webSocket)
    choice.note(.webSocketFailed(handshake: .refused), at: 0)
    #expect(choice.transport(at: 0) == .webSocket)
    choice.note(.webSocketFailed(handshake: .refused), at: 10_001)
    #expect(choice.transport(at: 10_001) == .webSocket)
    choice.note(.webSocketFailed(handshake: .refused), at: 20_001)
    #expect(choice.transport(at: 20_001) == .stream)
  }

  @Test("tries a stream after one handshake without an answer")
  func unanswered() {
    var choice = TransportChoice()
    choice.note(.webSocketFailed(handshake: .unanswered), at: 0)
    #expect(choice.transport(at: 0) == .stream)
  }

  @Test("does not count servers that are away")
  func away() {
    var choice = TransportChoice()
    for time in 0..<10 { choice.note(.webSocketFailed(handshake: nil), at: Int64(time)) }
    #expect(choice == TransportChoice())
  }

  @Test("an open WebSocket makes earlier refusals void")
  func opened() {
    var choice = TransportChoice()
    choice.note(.webSocketFailed(handshake: .refused), at: 0)
    choice.note(.webSocketOpened, at: 1)
    choice.note(.webSocketFailed(handshake: .refused), at: 2)
    #expect(choice.transport(at: 2) == .webSocket)
  }

  @Test("remembers for an hour that streams work where WebSockets are refused")
  func memory() {
    var choice = TransportChoice()
    choice.note(.webSocketFailed(handshake: .unanswered), at: 0)
    choice.note(.streamOpened, at: 100)
    // Neither a broken nor another stream changes it.
    choice.note(.streamFailed, at: 200)
    choice.note(.streamOpened, at: 1000)
    #expect(choice.transport(at: Self.hour + 99) == .stream)
    #expect(choice.transport(at: Self.hour + 100) == .webSocket)
  }

  @Test("returns to WebSockets when the stream does not open either")
  func trial() {
    var choice = TransportChoice()
    choice.note(.webSocketFailed(handshake: .unanswered), at: 0)
    choice.note(.streamFailed, at: 100)
    #expect(choice == TransportChoice())
  }

  @Test("remembers for an hour that a server has no streams")
  func withoutStreams() {
    var choice = TransportChoice()
    choice.note(.webSocketFailed(handshake: .unanswered), at: 0)
    choice.note(.streamsMissing, at: 0)
    #expect(!choice.hasAlternative(at: Self.hour - 1))
    choice.note(.webSocketFailed(handshake: .unanswered), at: 1)
    #expect(choice.transport(at: 1) == .webSocket)
    #expect(choice.hasAlternative(at: Self.hour))
    choice.note(.webSocketFailed(handshake: .unanswered), at: Self.hour)
    #expect(choice.transport(at: Self.hour) == .stream)
  }
}
