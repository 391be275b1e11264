import Testing

@testable import LinkPreview

@Suite("Labels of character sets")
struct CharacterSetLabelsTests {
  @Test("every character set but the converted ones can be read, and has a name of the web's")
  func names() {
    for (label, characterSet) in CharacterSetLabels.byLabel {
      // What the C library did not know would be read as windows-1252, where this is a sign.
      let isReadable = CharacterSetDecoder.decode([0x41], as: characterSet) == "A"
      #expect(isReadable, "\(label)")
      let named = CharacterSet(label: Array(characterSet.webName.utf8))
      #expect(named == characterSet, "\(label) is \(characterSet.webName)")
    }
  }

  @Test("labels are trimmed and their case does not matter")
  func spelling() {
    #expect(CharacterSet(label: Array(" \tEUC-KR\n".utf8)) == .named("CP949"))
    #expect(CharacterSet(label: Array("utf8".utf8)) == .utf8)
    #expect(CharacterSet(label: Array("utf 8".utf8)) == nil)
    #expect(CharacterSet(label: Array(String(repeating: "a", count: 99).utf8)) == nil)
  }
}
