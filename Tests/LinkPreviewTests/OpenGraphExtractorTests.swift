import LinkPreview
import ParleyProtocol
import Testing

@Suite("Open Graph extractor")
struct OpenGraphExtractorTests {
  private func og(_ pairs: (String, String)...) -> String {
    pairs.map { "<meta property='og:\($0.0)' content='\($0.1)'>" }.joined()
  }

  private func image(_ page: String) -> OpenGraphImage? { PageReader.tag(page)?.image }

  @Test("a complete page produces a complete preview")
  func whole() {
    let page = og(
      ("title", "T"), ("description", "D"), ("url", "https://example.com/x"),
      ("image", "https://cdn.net/i.png"), ("image:secure_url", "https://cdn.net/s.png"),
      ("image:type", "image/png"), ("image:width", "1200"), ("image:height", "630"),
      ("image:alt", "A"))
    let expected = OpenGraphTag(
      title: "T", url: "https://example.com/x", description: "D",
      image: OpenGraphImage(
        url: "https://cdn.net/i.png", secureURL: "https://cdn.net/s.png", type: "image/png",
        width: 1_200, height: 630, alt: "A"))
    #expect(PageReader.tag(page) == expected)
  }

  @Test("descriptions come from og, twitter, and the plain meta element")
  func descriptions() {
    let plain = "<meta name=Description content=P>"
    let twitter = "<meta name=twitter:description content=W>"
    #expect(PageReader.tag(plain)?.description == "P")
    #expect(PageReader.tag(plain + twitter)?.description == "W")
    #expect(PageReader.tag(plain + twitter + og(("description", "D")))?.description == "D")
  }

  @Test("structured properties belong to the preceding image")
  func groups() {
    let leak = og(
      ("image:width", "1"), ("image", "/a.png"), ("image:width", "2"), ("image:width", "3"),
      ("image", "/b.png"), ("image:height", "4"))
    #expect(
      image(leak) == OpenGraphImage(url: "https://www.example.com/a.png", width: 2, height: 0))
    let video = og(("video", "/v"), ("video:width", "7"), ("image", "/a.png"), ("audio:type", "x"))
    #expect(image(video) == OpenGraphImage(url: "https://www.example.com/a.png"))
    let second = og(
      ("image", "data:x"), ("image:width", "1"), ("image", "/b"), ("image:width", "2"))
    #expect(image(second) == OpenGraphImage(url: "https://www.example.com/b", width: 2))
  }

  @Test("an og:image:url directly after og:image is the same image")
  func imageURL() {
    let same = og(("image", "/a"), ("image:url", "/b"), ("image:width", "5"))
    #expect(image(same) == OpenGraphImage(url: "https://www.example.com/a", width: 5))
    let alone = og(("image:url", "/b"), ("image:width", "5"))
    #expect(image(alone) == OpenGraphImage(url: "https://www.example.com/b", width: 5))
    let other = og(("image", "/a"), ("image:width", "5"), ("image:url", "/b"), ("image:width", "6"))
    #expect(image(other) == OpenGraphImage(url: "https://www.example.com/a", width: 5))
    let filled = og(("image", ""), ("image:url", "/b"))
    #expect(image(filled)?.url == "https://www.example.com/b")
  }

  @Test("a secure_url replaces a missing url")
  func secureURL() {
    let page = og(("image", "x:y"), ("image:secure_url", "https://s/"))
    #expect(image(page) == OpenGraphImage(url: "https://s/", secureURL: "https://s/"))
  }

  @Test("a secure_url alone is an image, and one before its og:image belongs to it")
  func secureURLAlone() {
    let alone = og(("image:secure_url", "https://s/"), ("image:width", "5"))
    #expect(image(alone) == OpenGraphImage(url: "https://s/", secureURL: "https://s/", width: 5))
    let before = og(
      ("image:secure_url", "https://s/"), ("image", "http://i/"), ("image:width", "5"),
      ("image", "http://other/"))
    #expect(image(before) == OpenGraphImage(url: "http://i/", secureURL: "https://s/", width: 5))
    let two = og(("image:secure_url", "x:y"), ("image:secure_url", "https://s/"))
    #expect(image(two)?.url == "https://s/")
    let late = og(("image", "http://i/"), ("image:secure_url", "https://s/"))
    #expect(image(late) == OpenGraphImage(url: "http://i/", secureURL: "https://s/"))
  }

  @Test(
    "width and height are parsed from the leading digits",
    arguments: [
      ("12", 12), ("12px", 12), (" 12", 12), ("-12", 0), ("x", 0), ("", 0), ("1.5", 1),
      ("2147483647", 2_147_483_647), ("2147483648", 0), ("99999999999999999999", 0), ("٣", 0),
    ])
  func sizes(text: String, expected: Int32) {
    #expect(image(og(("image", "/a"), ("image:width", text)))?.width == expected)
  }

  @Test("other images replace a missing og:image")
  func otherImages() {
    let link = "<link rel='x IMAGE_SRC' href=/l>"
    let twitter = "<meta name=twitter:image:src content=/t>"
    #expect(image(link)?.url == "https://www.example.com/l")
    #expect(image(link + twitter)?.url == "https://www.example.com/t")
    #expect(image(link + "<meta name=twitter:image content=ftp://x>")?.url?.hasSuffix("/l") == true)
    #expect(image(og(("image", "javascript:x")) + twitter)?.url == "https://www.example.com/t")
  }

  @Test("a page can declare its own URL, but not that of another site")
  func address() {
    let canonical = "<link rel=canonical href='/c#f'>"
    #expect(PageReader.tag(og(("title", "T")))?.url == "https://www.example.com/p/q")
    #expect(PageReader.tag(og(("title", "T")) + canonical)?.url == "https://www.example.com/c#f")
    let own = og(("title", "T"), ("url", "https://m.example.com/u"))
    #expect(PageReader.tag(own + canonical)?.url == "https://m.example.com/u")
    let foreign = og(("title", "T"), ("url", "https://evil.com/u"))
    #expect(PageReader.tag(foreign + canonical)?.url == "https://www.example.com/c#f")
    #expect(PageReader.tag(og(("title", "T"), ("url", "/u")))?.url == "https://www.example.com/u")
  }

  @Test("two sites under one public suffix are different sites")
  func publicSuffix() {
    let page = Array(og(("title", "T"), ("url", "https://b.co.uk/")).utf8)
    #expect(PageReader.tag(page, url: "https://a.co.uk/")?.url == "https://a.co.uk/")
    #expect(PageReader.tag(page, url: "https://x.b.co.uk/")?.url == "https://b.co.uk/")
    let address = Array(og(("title", "T"), ("url", "http://1.1.1.1/x")).utf8)
    #expect(PageReader.tag(address, url: "http://1.1.1.1/")?.url == "http://1.1.1.1/x")
    #expect(PageReader.tag(address, url: "http://2.1.1.1/")?.url == "http://2.1.1.1/")
  }

  @Test("URLs are resolved against the first base")
  func base() {
    let bases = "<base target=x><base href='//cdn.net/a/'><base href='//no/'>"
    #expect(image(og(("image", " i\n.png ")) + bases)?.url == "https://cdn.net/a/i.png")
    #expect(image(og(("image", "i")) + "<base href=data:x>")?.url == "https://www.example.com/p/i")
    #expect(image(og(("image", "/i?a=1&amp;b=2")))?.url == "https://www.example.com/i?a=1&b=2")
    #expect(image(og(("image", "/i?a=1&copy=2")))?.url == "https://www.example.com/i?a=1&copy=2")
  }

  @Test("text is a single line without control and direction characters")
  func text() {
    let page = og(
      ("title", " a\n\t b\u{a0}\u{3000}c\u{1}\u{7f}\u{9f}\u{202e}d\u{2066}\u{200d}\u{fe0f}e "))
    #expect(PageReader.title(page) == "a b cd\u{200d}\u{fe0f}e")
    #expect(PageReader.title(og(("title", "&lt;b&gt; &amp;amp; &#x202e;x"))) == "<b> &amp; x")
  }

  @Test("long texts are truncated, not dropped")
  func lengths() {
    let page = og(
      ("title", String(repeating: "é", count: 2_000)),
      ("description", String(repeating: "&#54620;", count: 5_000)))
    #expect(PageReader.tag(page)?.title == String(repeating: "é", count: 1_024))
    #expect(PageReader.tag(page)?.description == String(repeating: "한", count: 4_096))
    let title = "<title>" + String(repeating: "x", count: 100_000) + "</title>"
    #expect(PageReader.title(title)?.count == 1_024)
    let image = og(("title", "T"), ("image", "/" + String(repeating: "x", count: 100_000)))
    #expect(PageReader.tag(image)?.image == nil)
  }

  @Test("a page without title, description and image has no preview")
  func empty() {
    #expect(PageReader.tag("") == nil)
    #expect(PageReader.tag("<html><body>hello") == nil)
    #expect(PageReader.tag(og(("url", "https://example.com/"), ("title", " "))) == nil)
  }

  @Test("binary content is not a page, whatever its declared type")
  func binary() {
    let title = Array("<title>T</title>".utf8)
    #expect(PageReader.tag([0x89, 0x50, 0x4e, 0x47] + title) == nil)
    #expect(PageReader.tag([0xff, 0xd8, 0xff] + title) == nil)
    #expect(PageReader.tag(Array("%PDF-1.7".utf8) + title) == nil)
    #expect(PageReader.tag([UInt8](repeating: 0, count: 600) + title) == nil)
    #expect(PageReader.tag([0] + title)?.title == "T")
  }

  @Test("tags within the first 512 KB of the page are found")
  func depth() {
    let filler = String(repeating: "<div class='x'>text</div>\n", count: 19_000)
    #expect(PageReader.title(filler + og(("title", "T"))) == "T")
  }

  @Test("a complete head ends the reading")
  func earlyEnd() throws {
    let url = try #require(WebURL("https://example.com/"))
    var extractor = OpenGraphExtractor(pageURL: url, contentType: "text/html")
    let head = Array(
      (String(repeating: " ", count: 600)
        + og(("title", "T"), ("description", "D"), ("image", "/i"), ("url", "/u"))).utf8)
    #expect(head.withUnsafeBufferPointer { extractor.receive($0.span) } == .needsMore)
    let end = Array("</head>".utf8)
    #expect(end.withUnsafeBufferPointer { extractor.receive($0.span) } == .finished)
    #expect(extractor.finish().tag?.title == "T")
  }

  @Test(
    "a placeholder instead of a text is ignored",
    arguments: [
      "undefined", "null", "NULL", " NaN ", "[object Object]", "[object HTMLElement]", "None",
      "nil",
      "(null)", "{{ page.title }}", "${title}", "{% title %}", "<%= title %>", "\u{200b}",
      "&#8203;&#8204;", "\u{feff}\u{2060}", "\u{ad}", "\u{3164}", "\u{2800}", "\u{fe0f}\u{200d}",
      "\u{e0001}",
    ])
  func textPlaceholders(value: String) {
    let title = "<title>T</title>"
    for key in ["og:title", "twitter:title"] {
      let tag = "<meta property='\(key)' content='\(value)'>"
      #expect(PageReader.title(tag + title) == "T")
      #expect(PageReader.title(tag + "<meta property='\(key)' content=S>" + title) == "S")
    }
    let description = "<meta name=description content='\(value)'>"
    #expect(PageReader.tag(title + description)?.description == nil)
    let data =
      "<script type='application/ld+json'>"
      + "{\"@type\":\"Article\",\"headline\":\"\(value)\",\"name\":\"N\"}</script>"
    #expect(PageReader.title(data) == "N")
    #expect(PageReader.tag("<title>\(value)</title>") == nil)
  }

  @Test(
    "a text that only contains a placeholder word is kept",
    arguments: ["undefined - MDN", "Null", "nile"])
  func texts(value: String) {
    let expected = value == "Null" ? "T" : value
    #expect(
      PageReader.title("<meta property=og:title content='\(value)'><title>T</title>") == expected)
  }

  @Test(
    "a placeholder instead of a URL is ignored",
    arguments: [
      "undefined", "null", "[object Object]", "https://cdn.net/undefined", "/images/null?w=1",
      "https://cdn.net/[object%20Object]", "{{ image }}", "https://cdn.net/${image}", "#", "false",
      "https://cdn.net/<%= image %>",
    ])
  func addressPlaceholders(value: String) {
    let title = "<title>T</title>"
    let image = "<meta property=og:image content='\(value)'>"
    #expect(PageReader.tag(title + image)?.image == nil)
    for next in ["og:image", "og:image:url"] {
      let tag = PageReader.tag(title + image + "<meta property=\(next) content=/i.png>")
      #expect(tag?.image?.url == "https://www.example.com/i.png")
    }
    let address = "https://www.example.com/p/q"
    #expect(PageReader.tag(title + "<meta property=og:url content='\(value)'>")?.url == address)
    #expect(PageReader.tag(title + "<link rel=canonical href='\(value)'>")?.url == address)
  }
}
