import LinkPreview
import ParleyProtocol
import Testing

@Suite("Hostile pages")
struct HostilePageTests {
  private static let repeated: [String] = [
    "<", "<!--", "&", "<div>", "</", "<meta ", "<meta property=og:title content='", "<svg>",
    "<template>", "<script>", "<title>", "<script><!--<script>", "<!", "<![CDATA[", "<body>",
    "<a b=c ", "\"", "'", "&#", "&#x10FFFF;", "&aaaaaa", "\0", "<\0>", "\u{1b}$B", "-", "<a/", "=",
    "<meta property=og:image content=/a>", "<meta property=og:image:alt content='&nbsp;'>",
    "<link rel=canonical href=x>", "<base href=x>", "<meta charset=x>", "<body></head>",
  ]

  @Test("a page of one thing a hundred thousand times is read to its end", arguments: repeated)
  func repetition(piece: String) {
    let head = "<title>T</title>" + String(repeating: " ", count: 512)
    let page = head + String(repeating: piece, count: 100_000)
    #expect(PageReader.title(page) == "T")
  }

  @Test("a tag with 60,000 attributes is a tag like another")
  func attributes() {
    let attributes = (0..<60_000).map { "a\($0)=b" }.joined(separator: " ")
    #expect(PageReader.title("<meta \(attributes) property=og:title content=T>") == "T")
  }

  @Test("200,000 nested elements cost no stack")
  func nesting() {
    let page = String(repeating: "<b><i>", count: 100_000) + "<meta name=og:title content=T>"
    #expect(PageReader.title(page) == "T")
  }

  @Test("random bytes and random markup are read without harm")
  func random() {
    let seed = UInt64.random(in: 1...UInt64.max)
    var generator = SplitMix(state: seed)
    let words =
      Self.repeated + [">", "</script>", "</title>", "</template>", "-->", "]]>", " ", "x"]
    for _ in 0..<300 {
      var page: [UInt8] = []
      for _ in 0..<Int(generator.next() % 200) {
        if generator.next() % 4 == 0 {
          page.append(UInt8(truncatingIfNeeded: generator.next()))
        } else {
          page += words[Int(generator.next() % UInt64(words.count))].utf8
        }
      }
      let whole = PageReader.tag(page)
      #expect(PageReader.tag(page, chunk: 1) == whole, "seed \(seed)")
      #expect(PageReader.tag(page, chunk: 5) == whole, "seed \(seed)")
    }
  }
}

/// A small generator that repeats itself for the same seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }
}
