import TestSupport
import Testing

@testable import Channels

@Suite("Messages between servers of different versions")
struct MessageVersionTests {
  @Test("unknown kinds are refused, whatever follows", arguments: UInt64(1)...4)
  func unknownKinds(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for kind in UInt8(6)...255 {
      let rest = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      #expect(throws: MessageDecodingError.unknownCase) {
        try RelayedMessage(decoding: [MessageVersion.current, 0, kind] + rest)
      }
    }
    var samples = SampleMessages(seed: seed)
    for message in samples.all() {
      let bytes = RelayedMessage(message).encoded()
      for version in [0, MessageVersion.current + 1, 255] {
        #expect(throws: MessageDecodingError.unsupported) {
          try RelayedMessage(decoding: [version] + bytes.dropFirst())
        }
      }
    }
  }
}
