import Testing

@testable import LinkPreview

@Suite("Character set labels")
struct CharacterSetLabelsTests {
  @Test("every character set except the converted ones is supported, and has a name from the web")
  func names() {
    for (label, characterSet) in CharacterSetLabels.byLabel {
      // What the C library did not know would be read as windows-1252, where this is a sign.
      let isReadable = CharacterSetDecoder.decode([0x41], as: characterSet) == "A"
      #expect(isReadable, "\(label)")
      let named = CharacterSet(label: Array(characterSet.webName.utf8))
      #expect(named == characterSet, "\(label) is \(characterSet.webName)")
    }
  }

  @Test("labels are trimmed and compared ignoring case")
  func spelling() {
    #expect(CharacterSet(label: Array(" \tEUC-KR\n".utf8)) == .named("CP949"))
    #expect(CharacterSet(label: Array("utf8".utf8)) == .utf8)
    #expect(CharacterSet(label: Array("utf 8".utf8)) == nil)
    #expect(CharacterSet(label: Array(String(repeating: "a", count: 99).utf8)) == nil)
  }
}
