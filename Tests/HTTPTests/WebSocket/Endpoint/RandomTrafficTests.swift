import TestSupport
import Testing
@testable import HTTP

@Suite("Random traffic")
struct RandomTrafficTests {
  private static let agreements: [PermessageDeflate.Agreement?] = [
    nil, PermessageDeflate.Agreement(),
    PermessageDeflate.Agreement(serverNoContextTakeover: true, clientNoContextTakeover: true),
    PermessageDeflate.Agreement(serverMaxWindowBits: 9, clientMaxWindowBits: 9),
    PermessageDeflate.Agreement(clientNoContextTakeover: true, clientMaxWindowBits: 8),
  ]

  @Test(
    "messages of one side are received by the other, in both directions", arguments: UInt64(1)...40)
  func conversation(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let agreement = Self.agreements[Int(seed) % Self.agreements.count]
    let server = WebSocketPeer(compression: agreement)
    let client = WebSocketPeer.client(compression: agreement)
    for (sender, receiver) in [(server, client), (client, server)] {
      var sent: [WebSocketEvent] = []
      var stream: [UInt8] = []
      for _ in 0..<8 {
        let payload = Self.payload(&generator)
        stream += sender.send(payload, .binary)
        sent.append(.binary(payload))
      }
      #expect(generator.pieces(of: stream).flatMap(receiver.events) == sent)
    }
  }

  /// Some repetition, so that compression has something to find.
  private static func payload(_ generator: inout SeededGenerator) -> [UInt8] {
    let word = generator.bytes(Int.random(in: 1...40, using: &generator))
    let count = Int.random(in: 0...200, using: &generator)
    return (0..<count).flatMap { $0 % 3 == 0 ? [UInt8($0)] : word }
  }

  @Test(
    "broken streams end in at most one failure, with its close frame", arguments: UInt64(1)...400)
  func garbage(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var stream = clientFrame(1, "Hello", final: false) + clientFrame(9, "p")
    stream += clientFrame(0, "-µ") + clientFrame(2, [1, 2], reserved: 4)
    stream += clientFrame(8, closePayload(1000, "é"))
    for _ in 0..<Int.random(in: 1...5, using: &generator) {
      let place = Int.random(in: 0..<stream.count, using: &generator)
      stream[place] = UInt8.random(in: 0...255, using: &generator)
    }
    let peer = WebSocketPeer(compression: Self.agreements[Int(seed) % Self.agreements.count])
    let output = peer.receive(stream)
    let ends = output.events.filter {
      switch $0 {
      case .failed, .closed: true
      default: false
      }
    }
    #expect(ends.count <= 1)
    #expect(ends.isEmpty == (peer.state == .open))
    if case .failed(let error) = output.events.last {
      #expect(output.bytes.suffix(140).contains(0x88))
      #expect(!error.description.isEmpty)
    }
  }
}
