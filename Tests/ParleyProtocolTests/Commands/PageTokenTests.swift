import Testing

@testable import ParleyProtocol
import TestSupport

@Suite("Page tokens")
struct PageTokenTests {
  @Test("a token gives back its position, to its own query only", arguments: UInt64(1)...20)
  func isBoundToQuery(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let position = (0..<Int.random(in: 0...320, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    let token = PageToken.encode(position, query: ["a", "b"])
    #expect(PageToken.decode(token, query: ["a", "b"]) == position, "seed \(seed)")
    for query in [["ab"], ["b", "a"], ["a", "b", ""], []] {
      #expect(PageToken.decode(token, query: query) == nil, "seed \(seed)")
    }
  }

  @Test("a text stands in its token, and belongs to its own query")
  func texts() {
    let token = PageToken.encode(text: "https://a.b/c?d=e", query: ["previews", ""])
    #expect(PageToken.decode(text: token, query: ["previews", ""]) == "https://a.b/c?d=e")
    #expect(PageToken.decode(text: token, query: ["previews", "x"]) == nil)
    #expect(PageToken.decode(text: token + "f", query: ["previews", ""]) == nil)
    for made in ["", "zz", "https://a.b/c?d=e", "00000000", "00000000https://a.b/c?d=e"] {
      #expect(PageToken.decode(text: made, query: ["previews", ""]) == nil)
    }
  }

  @Test("no single changed digit goes unnoticed", arguments: UInt64(1)...20)
  func detectsChanges(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let position = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    var digits = Array(PageToken.encode(position, query: ["q"]).utf8)
    let index = Int.random(in: 0..<digits.count, using: &random)
    digits[index] = digits[index] == 0x30 ? 0x31 : 0x30
    let changed = String(decoding: digits, as: UTF8.self)
    #expect(PageToken.decode(changed, query: ["q"]) == nil, "seed \(seed)")
  }
}
