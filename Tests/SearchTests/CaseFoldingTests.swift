import TestSupport
import Testing

@testable import Search

@Suite("Case folding", .onOwnThreads)
struct CaseFoldingTests {
  @Test(
    "texts that differ only in case become equal",
    arguments: [
      ("STRASSE", "Straße"), ("straẞe", "STRASSE"), ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("ſ", "S"),
      ("\u{212A}elvin", "KELVIN"), ("ΌΣΟΣ", "όσος"), ("ﬃ", "FFI"), ("İ", "i\u{307}"),
      ("Ǆ", "ǆ"), ("ՙև", "ՙԵՒ"), ("Ꭰ", "ꭰ"),
    ])
  func folds(_ one: String, _ other: String) {
    #expect(Array(one.caseFolded.unicodeScalars) == Array(other.caseFolded.unicodeScalars))
  }

  @Test("different letters stay distinct", arguments: [("ı", "i"), ("ä", "a"), ("o", "0")])
  func keepsApart(_ one: String, _ other: String) {
    #expect(one.caseFolded != other.caseFolded)
    #expect(one.caseFolded == one.caseFolded.caseFolded)
  }
}
