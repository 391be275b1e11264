import Testing

@testable import Store
import TestSupport

@Suite("Page tokens")
struct PageTokenTests {
  @Test("a token gives back its position, to its own query only", arguments: UInt64(1)...20)
  func isBoundToQuery(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let position = (0..<Int.random(in: 0...320, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    let token = PageToken.encode(position, query: ["a", "b"])
    #expect(try PageToken.decode(token, query: ["a", "b"]) == position, "seed \(seed)")
    for query in [["ab"], ["b", "a"], ["a", "b", ""], []] {
      #expect(throws: StoreError.invalidPageToken, "seed \(seed)") {
        try PageToken.decode(token, query: query)
      }
    }
  }

  @Test("no single changed digit goes unnoticed", arguments: UInt64(1)...20)
  func detectsChanges(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let position = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    var digits = Array(PageToken.encode(position, query: ["q"]).utf8)
    let index = Int.random(in: 0..<digits.count, using: &random)
    digits[index] = digits[index] == 0x30 ? 0x31 : 0x30
    #expect(throws: StoreError.invalidPageToken, "seed \(seed)") {
      try PageToken.decode(String(decoding: digits, as: UTF8.self), query: ["q"])
    }
  }
}
