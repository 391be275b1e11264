import LinkPreview
import ParleyProtocol
import Testing

@Suite("Character references")
struct CharacterReferenceTests {
  private static let inBoth: [(String, String)] = [
    ("&amp;", "&"), ("&AMP", "&"), ("&amp", "&"), ("&lt;&gt;&quot;", "<>\""), ("&apos;", "'"),
    ("&eacute;", "é"), ("&eacute", "é"), ("&hellip;", "…"), ("&hellip", "&hellip"),
    ("&zwj;x", "\u{200d}x"),
    ("&CounterClockwiseContourIntegral;", "∳"), ("&NotEqualTilde;", "≂̸"), ("&AElig;", "Æ"),
    ("&zwnj;x", "\u{200c}x"), ("&nosuch;", "&nosuch;"), ("&", "&"), ("&;", "&;"), ("&#;", "&#;"),
    ("&#x;", "&#x;"), ("&#65;&#x41;&#X41;&#65", "AAAA"), ("&#0;", "\u{fffd}"),
    ("&#xD800;", "\u{fffd}"), ("&#x110000;", "\u{fffd}"), ("&#99999999999999999999;", "\u{fffd}"),
    ("&#128;&#x99;", "€™"), ("&amp;lt;", "&lt;"), ("&ampx;", "&ampx;"), ("&aacutE;", "&aacutE;"),
    ("&#x1F600;", "😀"),
    ("&\(String(repeating: "a", count: 100));", "&\(String(repeating: "a", count: 100));"),
  ]

  @Test("references are decoded once", arguments: inBoth.filter { $0.0 != "&ampx;" })
  func both(source: String, expected: String) {
    #expect(PageReader.title("<title>\(source)</title>") == expected)
    #expect(PageReader.title("<meta property=og:title content='\(source)'>") == expected)
  }

  @Test("a name without a semicolon is not a reference before a letter or = in an attribute")
  func legacy() {
    for (source, attribute, text) in [
      ("&copy=1", "&copy=1", "©=1"), ("&copyx", "&copyx", "©x"), ("&copy.", "©.", "©."),
      ("&notit;", "&notit;", "¬it;"), ("&notin;", "∉", "∉"), ("&ampx;", "&ampx;", "&x;"),
    ] {
      #expect(PageReader.title("<meta name=og:title content='\(source)'>") == attribute)
      #expect(PageReader.title("<title>\(source)</title>") == text)
    }
  }
}
