import TestSupport
import Testing
@testable import HTTP

@Suite("Streams split at any position")
struct SplittingTests {
  private typealias Verifier = DecoderVerifier<WebSocketEvent>

  private static let messages: [Verifier.Case] = [
    Verifier.Case(clientFrame(1, "Hello-µ"), [.text("Hello-µ")]),
    Verifier.Case(clientFrame(1), [.text([])]),
    Verifier.Case(
      clientFrame(2, [UInt8](repeating: 5, count: 130)),
      [.binary([UInt8](repeating: 5, count: 130))]),
    Verifier.Case(
      clientFrame(1, "a", final: false) + clientFrame(9, "p") + clientFrame(0, "🎉"),
      [.ping([0x70]), .text("a🎉")]),
    Verifier.Case(clientFrame(10, "q"), [.pong([0x71])]),
  ]

  @Test("a server sees the same messages")
  func messages() {
    let verifier = Verifier { WebSocketPeer().events }
    #expect(verifier.failures(Self.messages) == [])
    #expect(verifier.failuresJoined(Self.messages) == [])
  }

  @Test("a server sees the same close")
  func ends() {
    let ends = [
      Verifier.Case(
        clientFrame(8, closePayload(1001, "bye")) + [1, 2],
        [.closed(code: .goingAway, reason: "bye")]),
      Verifier.Case(clientFrame(1, [0x61, 0xFF, 0x61]), [.failed(.invalidText)]),
      Verifier.Case([0x81, 0x01, 0x61], [.failed(.unmaskedFrame)]),
      Verifier.Case([0x82, 0xFE, 0, 1, 0, 0, 0, 0], [.failed(.lengthNotMinimal)]),
      Verifier.Case(clientFrame(0, "x"), [.failed(.unexpectedContinuation)]),
    ]
    let verifier = Verifier { WebSocketPeer().events }
    #expect(verifier.failures(ends) == [])
    for end in ends { #expect(verifier.failuresJoined(Self.messages + [end]) == []) }
  }

  @Test("a server sees the same compressed messages")
  func compressed() {
    let agreement = PermessageDeflate.Agreement()
    let client = WebSocketPeer.client(
      limits: WebSocketLimits(compressedMessageBytes: 0), compression: agreement)
    let texts = ["Hello", "Hello", "", "Hello-µ Hello"]
    let stream = texts.flatMap { client.send($0) }
    let verifier = Verifier { WebSocketPeer(compression: agreement).events }
    #expect(verifier.failures([Verifier.Case(stream, texts.map { .text($0) })]) == [])
  }

  @Test("the fuzzing corpus is read the same way")
  func corpus() throws {
    let inputs = try FuzzCorpus.inputs(of: "WebSocketEndpoint")
    #expect(!inputs.isEmpty)
    for input in inputs {
      let stream = Array(input.dropFirst())
      let agreement = PermessageDeflate.Agreement()
      let verifier = Verifier { WebSocketPeer(compression: agreement).events }
      let events = WebSocketPeer(compression: agreement).events(stream)
      #expect(!events.isEmpty)
      #expect(verifier.failures([Verifier.Case(stream, events)]) == [])
    }
  }
}
