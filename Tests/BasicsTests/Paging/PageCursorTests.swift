import Basics
import TestSupport
import Testing

@Suite("Page tokens")
struct PageCursorTests {
  private struct AnyBytes: PagePosition, Equatable {
    let positionBytes: [UInt8]

    init(positionBytes: [UInt8]) { self.positionBytes = positionBytes }
  }

  @Test("a token restores its position, and only for its own list", arguments: UInt64(1)...20)
  func isBoundToList(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let position = AnyBytes(positionBytes: random.bytes(Int.random(in: 0...320, using: &random)))
    let token = PageCursor<AnyBytes>(of: ["a", "b"]).token(after: position)
    #expect(PageCursor(of: ["a", "b"]).position(in: token) == position, "seed \(seed)")
    for list in [["ab"], ["b", "a"], ["a", "b", ""], []] {
      #expect(PageCursor<AnyBytes>(of: list).position(in: token) == nil, "seed \(seed)")
    }
  }

  @Test("a text position is kept in its token, which is valid only for its own list")
  func texts() {
    let cursor = PageCursor<String>(of: ["previews", ""])
    let token = cursor.token(after: "https://a.b/c?d=e")
    #expect(token.hasSuffix("https://a.b/c?d=e"))
    #expect(cursor.position(in: token) == "https://a.b/c?d=e")
    #expect(PageCursor<String>(of: ["previews", "x"]).position(in: token) == nil)
    #expect(cursor.position(in: token + "f") == nil)
    for made in ["", "zz", "https://a.b/c?d=e", "000000", "000000.https://a.b/c?d=e"] {
      #expect(cursor.position(in: made) == nil)
    }
  }

  @Test("a token with the longest link stays within the accepted token length")
  func length() {
    let link = String(repeating: "a", count: 2_048)
    let cursor = PageCursor<String>(of: ["previews"])
    let token = cursor.token(after: link)
    #expect(token.utf8.count <= 2_560)
    #expect(cursor.position(in: token) == link)
    #expect(cursor.position(in: token + link) == nil)
  }

  @Test(
    "positions of every kind are restored",
    arguments: [Int64.min, -1, 0, 1, 0x2e2e_2e2e_2e2e_2e2e, .max])
  func numbers(number: Int64) {
    let cursor = PageCursor<Int64>(of: ["q"])
    #expect(cursor.position(in: cursor.token(after: number)) == number)
    let texts = PageCursor<String>(of: ["q"])
    for text in ["", "é", "a b", "a\0b", "\(number)"] {
      #expect(texts.position(in: texts.token(after: text)) == text)
    }
  }

  @Test("a position of another kind is refused")
  func kinds() {
    let token = PageCursor<String>(of: ["q"]).token(after: "seven b")
    #expect(PageCursor<Int64>(of: ["q"]).position(in: token) == nil)
    let bytes = AnyBytes(positionBytes: [0xff])
    let other = PageCursor<AnyBytes>(of: ["q"]).token(after: bytes)
    #expect(PageCursor<String>(of: ["q"]).position(in: other) == nil)
  }

  @Test("each position has exactly one token")
  func canonical() {
    let cursor = PageCursor<String>(of: ["q"])
    let token = cursor.token(after: "abc")
    let other = token.prefix(6) + "~" + Base64URL.encode("abc".utf8)
    #expect(cursor.position(in: String(other)) == nil)
  }

  @Test("any single changed character is detected", arguments: UInt64(1)...20)
  func detectsChanges(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let cursor = PageCursor<AnyBytes>(of: ["q"])
    var text = Array(cursor.token(after: AnyBytes(positionBytes: random.bytes(16))).utf8)
    let index = Int.random(in: 0..<text.count, using: &random)
    text[index] = text[index] == 0x30 ? 0x31 : 0x30
    #expect(cursor.position(in: String(decoding: text, as: UTF8.self)) == nil, "seed \(seed)")
  }
}
