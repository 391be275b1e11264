import TestSupport
import Testing
import HTTP

@testable import Transport

@Suite("Boundaries of frames")
struct FrameBoundaryTests {
  @Test(
    "the rest of the frame at the cut is found, wherever the cuts are", arguments: UInt64(1)...30)
  func findsRests(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    var boundaries: Set<Int> = [0]
    for _ in 0..<20 {
      let size = [0, 1, 125, 126, 300, 65_535, 65_536, 70_000].randomElement(using: &random) ?? 0
      FrameEncoder.appendFrame(
        opcode: .text, payload: [UInt8](repeating: 97, count: size).span, into: &bytes)
      boundaries.insert(bytes.count)
    }
    var rest = bytes
    var first = 0
    var taken = 0
    while !rest.isEmpty {
      let count = Int.random(in: 1...min(rest.count, 90_000), using: &random)
      first = rest.withUnsafeBytes { FrameBoundary.rest(of: $0, from: first, cutAt: count) }
      rest.removeFirst(count)
      taken += count
      #expect(boundaries.contains(taken + first))
      #expect((taken..<(taken + first)).allSatisfy { !boundaries.contains($0) })
    }
  }
}
