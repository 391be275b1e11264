@testable import LinkPreview
import ParleyProtocol
import Testing

@Suite("Hostile pages")
struct HostilePageTests {
  private static let repeated: [String] = [
    "<", "<!--", "&", "<div>", "</", "<meta ", "<meta property=og:title content='", "<svg>",
    "<template>", "<script>", "<title>", "<script><!--<script>", "<!", "<![CDATA[", "<body>",
    "<a b=c ", "\"", "'", "&#", "&#x10FFFF;", "&aaaaaa", "\0", "<\0>", "\u{1b}$B", "-", "<a/", "=",
    "<meta property=og:image content=/a>", "<meta property=og:image:alt content='&nbsp;'>",
    "<script type=application/ld+json>", "<script type=application/ld+json>{}</script>",
    "<script type=application/ld+json><!-- ",
    "<meta property='og:title og:image' content='&nbsp;'>",
    "<link rel=alternate type=application/json+oembed href=x>", "</title", "</scrip",
    "<title></titl",
    "<script></scrip", "<script><!-- <script </script", "<!-", "<![",
    "<meta name=og:image:alt content=x>",
    "<link rel=canonical href=x>", "<base href=x>", "<meta charset=x>", "<body></head>",
  ]

  @Test("a megabyte of one construct is read to its end", arguments: repeated)
  func repetition(piece: String) {
    let head = "<title>T</title>" + String(repeating: " ", count: 512)
    let page = head + String(repeating: piece, count: 1_000_000 / piece.utf8.count)
    #expect(PageReader.title(page) == "T")
  }

  /// What the extractor holds after a page, and the most it held after any piece.
  private func retainedByteCount(_ page: String) throws -> Int {
    let url = try #require(WebURL("https://www.example.com/"))
    var extractor = OpenGraphExtractor(pageURL: url, contentType: "text/html")
    var peak = 0
    var rest = Array(page.utf8)[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(16_384))
      _ = piece.withUnsafeBufferPointer { extractor.receive($0.span) }
      peak = max(peak, extractor.retainedByteCount)
      rest = rest.dropFirst(16_384)
    }
    _ = extractor.finish()
    return peak
  }

  @Test("retained memory for a page of one construct is bounded", arguments: repeated)
  func memory(piece: String) throws {
    let page = String(repeating: " ", count: 512) + String(repeating: piece, count: 3_000)
    #expect(try retainedByteCount(page) <= 300_000)
  }

  @Test(
    "retained memory for the largest values of every kind is bounded",
    arguments: [
      "<meta property=og:image content=V>", "<meta property=og:image:alt content=V>",
      "<meta property='og:title og:description twitter:title description' content=V>",
      "<link rel='canonical image_src alternate' type=application/json+oembed href=V>",
      "<meta name=twitter:image content=V><meta property=og:url content=V><title>V</title>",
      "<script type=application/ld+json>V</script>", "<base href=V>", "<x V=V>", "<V>", "</V>",
      "<meta property=V content=V>", "<meta charset=V>", "<!--V-->", "<!V>",
    ])
  func largeValues(piece: String) throws {
    let first = "<meta property=og:image content=/i>"
    for length in [16_000, 130_000] {
      let value = String(repeating: "v", count: length)
      let piece = piece.split(separator: "V", omittingEmptySubsequences: false)
        .joined(separator: value)
      let page = first + String(repeating: piece, count: 600_000 / piece.utf8.count)
      #expect(try retainedByteCount(page) <= OpenGraphExtractor.maximumRetainedByteCount / 2)
    }
  }

  @Test("retained memory for all of the largest values together is bounded")
  func everything() throws {
    let value = String(repeating: "v", count: 16_384)
    let properties = ["", ":url", ":secure_url", ":type", ":width", ":height", ":alt"]
    let image = properties.map { "<meta property='og:image\($0)' content='\(value)'>" }.joined()
    let script = "<script type=application/ld+json>\(value)</script>"
    let links =
      "<link rel='canonical image_src alternate' type=application/json+oembed href=\(value)>"
    let metas = "<meta name='og:url twitter:image og:title og:description' content=\(value)>"
    let page = String(repeating: image + script + links + metas, count: 20)
    let retained = try retainedByteCount(page)
    #expect(retained > 1_000_000)
    #expect(retained <= OpenGraphExtractor.maximumRetainedByteCount)
  }

  @Test("a tag with 60,000 attributes is parsed like any other")
  func attributes() {
    let attributes = (0..<60_000).map { "a\($0)=b" }.joined(separator: " ")
    #expect(PageReader.title("<meta \(attributes) property=og:title content=T>") == "T")
  }

  @Test("200,000 nested elements use no stack")
  func nesting() {
    let page = String(repeating: "<b><i>", count: 100_000) + "<meta name=og:title content=T>"
    #expect(PageReader.title(page) == "T")
  }

  @Test("random bytes and random markup are read without errors")
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
