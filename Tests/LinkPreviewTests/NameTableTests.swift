import Testing

@testable import LinkPreview

@Suite("Name tables")
struct NameTableTests {
  private func packed(_ text: String) -> PackedName { PackedName(text) }

  @Test("every known element is found, in any case, and no other")
  func elements() {
    for element in HTMLTagName.allCases where element != .other && element != .breakout {
      #expect(HTMLTagName(packed(element.rawValue)) == element)
      #expect(HTMLTagName(packed(element.rawValue.uppercased())) == element)
      #expect(HTMLTagName(packed(element.rawValue + "x")) == .other)
    }
    #expect(HTMLTagName(packed("blockquote")) == .breakout)
    #expect(HTMLTagName(packed("")) == .other)
    #expect(HTMLTagName(packed("a-very-long-element-of-a-page")) == .other)
  }

  @Test("a full table still reports missing names")
  func crowded() {
    let table = NameTable((0..<200).map { ("n\($0)", $0) })
    for number in 0..<200 { #expect(table[packed("n\(number)")] == number) }
    for number in 200..<400 { #expect(table[packed("n\(number)")] == nil) }
  }

  @Test("a name is a prefix of another if the other only extends it")
  func beginnings() {
    #expect(packed("[cda").begins(packed("[CDATA[")))
    #expect(packed("").begins(packed("--")))
    #expect(packed("--").begins(packed("--")))
    #expect(!packed("-x").begins(packed("--")))
    #expect(!packed("---").begins(packed("--")))
  }

  @Test("every key is found in any case")
  func keys() {
    for key in MetaKey.allCases {
      #expect(MetaKey(Array(key.rawValue.utf8)[...]) == key)
      #expect(MetaKey(Array(key.rawValue.uppercased().utf8)[...]) == key)
      #expect(MetaKey(Array((key.rawValue + ":").utf8)[...]) == nil)
      #expect(MetaKey(Array(key.rawValue.utf8).dropLast()) != key)
    }
    #expect(MetaKey([UInt8](repeating: 0x61, count: 100)[...]) == nil)
    #expect(LinkRelation(Array("CANONICAL".utf8)[...]) == .canonical)
    #expect(LinkRelation(Array("image_src".utf8)[...]) == .imageSource)
    #expect(LinkRelation(Array("canonicals".utf8)[...]) == nil)
  }
}
