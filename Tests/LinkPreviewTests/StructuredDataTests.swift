import ParleyProtocol
import TestSupport
import Testing

@testable import LinkPreview

@Suite("Structured data (JSON-LD)")
struct StructuredDataTests {
  private func script(_ json: String) -> String {
    "<script type='application/ld+json'>\(json)</script>"
  }

  private func tag(_ json: String, and page: String = "") -> OpenGraphTag? {
    PageReader.tag(script(json) + page)
  }

  private func title(_ json: String) -> String? { tag(json)?.title }

  @Test("an article provides title, description, image and URL")
  func article() {
    let tag = tag(
      """
      {"@context":"https://schema.org","@type":"NewsArticle","headline":"H","name":"N",
       "description":"D","url":"/p/q/","image":{"@type":"ImageObject","url":"i.png","width":"1200px",
       "height":630,"caption":"C"}}
      """)
    let image = OpenGraphImage(
      url: "https://www.example.com/p/i.png", width: 1_200, height: 630, alt: "C")
    let expected = OpenGraphTag(
      title: "H", url: "https://www.example.com/p/q/", description: "D", image: image)
    #expect(tag == expected)
  }

  @Test("structured data ranks after Open Graph and Twitter and before plain HTML")
  func order() {
    let data = script(#"{"@type":"Article","headline":"J","description":"JD","image":"/j"}"#)
    let plain = "<title>E</title><meta name=description content=P><link rel=image_src href=/l>"
    let twitter = """
      <meta name=twitter:title content=W><meta name=twitter:description content=WD>
      <meta name=twitter:image content=/w>
      """
    #expect(PageReader.tag(plain + data)?.title == "J")
    #expect(PageReader.tag(plain + data)?.description == "JD")
    #expect(PageReader.tag(plain + data)?.image?.url == "https://www.example.com/j")
    #expect(PageReader.tag(plain + data + twitter)?.title == "W")
    #expect(PageReader.tag(plain + data + twitter)?.description == "WD")
    #expect(PageReader.tag(plain + data + twitter)?.image?.url == "https://www.example.com/w")
    #expect(PageReader.source(of: "og:title", plain + data) == "JSON-LD headline")
    #expect(PageReader.source(of: "og:image", plain + data) == "JSON-LD image")
  }

  @Test("data about the whole site ranks after plain HTML")
  func site() {
    let data = script(#"{"@type":"WebSite","name":"S","description":"SD"}"#)
    #expect(PageReader.tag(data)?.title == "S")
    #expect(PageReader.tag(data + "<title>E</title>")?.title == "E")
    #expect(PageReader.tag(data + "<title>E</title>")?.description == "SD")
    let page = script(
      #"[{"@type":"WebSite","name":"S"},{"@type":"WebPage","name":"P"},{"@type":"Recipe","name":"R"}]"#
    )
    #expect(PageReader.title(page) == "R")
  }

  @Test(
    "a node is found in lists, graphs and scripts, whatever surrounds the text",
    arguments: [
      #"{"@type":"Article","headline":"T"}"#, #"[[{"@type":["Thing","Article"],"name":"T"}]]"#,
      #"{"@graph":[{"@type":"BreadcrumbList","name":"B"},{"@type":"Product","name":"T"}]}"#,
      #"{"@type":"http://schema.org/Recipe","name":"T"}"#, #"{"@type":"schema:Event","name":"T"}"#,
      #"{"@type":"ItemPage","name":"P","mainEntity":{"@type":"Product","name":"T"}}"#,
      #"{"@type":"Article","headline":{"@language":"en","@value":"T"}}"#,
      #"{"@type":"Article","headline":["T","U"]}"#, #"{"@type":"MusicEvent","name":" T "}"#,
      "<!-- {\"@type\":\"Article\",\"name\":\"T\"} -->",
      "\n//<![CDATA[\n{\"@type\":\"Article\",\"name\":\"T\"}\n//]]>\n",
      "/*<![CDATA[*/{\"@type\":\"Article\",\"name\":\"T\"}/*]]>*/",
      "{\"@type\":\"Article\",\"name\":\"T\"};", "{\"@type\":\"Article\",\"name\":\"\nT\t\"}",
      #"{"@type":"Article","name":"T","x":"\#u{5c}ud83d"}"#,
      #"{"@type":"Article","headline":"","name":"T"}"#,
      #"{"@type":"Article","x":"</scrip<b>","y":"<script <","name":"T"}"#,
    ])
  func found(json: String) {
    #expect(title(json) == "T")
  }

  @Test(
    "malformed data, or data of another type, provides nothing",
    arguments: [
      #"{"@type":"Article","headline":"T",}"#, #"{"@type":"Article","headline":"T""#, "", "[]",
      #"{"@type":"BreadcrumbList","name":"T"}"#, #"{"@type":"SearchAction","name":"T"}"#,
      #"{"@type":"ItemList","name":"T"}"#, #"{"name":"T"}"#, #"{"@type":7,"name":"T"}"#,
      #"{"@type":"Article","headline":7}"#, #"{"@type":"Article","author":{"name":"T"}}"#,
      #"{"@type":"Article","name":"T","name":"T"}"#, #""@type""#, "null", "{",
      #"{"@type":"Offer","name":"T"}"#, #"{"@type":"Article","headline":"  "}"#,
    ])
  func notFound(json: String) {
    #expect(PageReader.tag(script(json)) == nil)
  }

  @Test("only scripts of that type outside templates are read")
  func types() {
    let json = #"{"@type":"Article","headline":"T"}"#
    for type in ["\"application/ld+json\"", "' Application/LD+JSON ; charset=utf-8'"] {
      #expect(PageReader.title("<body><SCRIPT id=x TYPE=\(type)>\(json)</script>") == "T")
    }
    for type in ["application/json", "text/javascript", "", "application/ld+jsonx"] {
      #expect(PageReader.tag("<script type='\(type)'>\(json)</script>") == nil)
    }
    #expect(PageReader.tag("<script>\(json)</script>") == nil)
    #expect(PageReader.tag("<template>\(script(json))</template>") == nil)
    #expect(PageReader.tag("<script type=application/ld+json>\(json)") == nil)
    #expect(PageReader.tag("<script type=x type=application/ld+json>\(json)</script>") == nil)
  }

  @Test("references are decoded once, and characters with the page's own character set")
  func text() {
    #expect(
      title(#"{"@type":"Article","headline":"a &amp;amp; b &#39;c&#x27;"}"#) == "a &amp; b 'c'")
    #expect(title(#"{"@type":"Article","headline":"\u00e9\ud83d\ude00 \"q\""}"#) == "é😀 \"q\"")
    let head = Array("<meta charset=shift_jis><script type=application/ld+json>".utf8)
    // The second byte of this character is a backslash in ASCII.
    let json =
      Array(#"{"@type":"Article","name":""#.utf8) + [0x83, 0x5c] + Array("\"}</script>".utf8)
    #expect(PageReader.tag(head + json)?.title == "ソ")
  }

  @Test("the first usable image of a list is used, thumbnails after images")
  func images() {
    func image(_ members: String) -> String? {
      tag("{\"@type\":\"VideoObject\",\"name\":\"T\",\(members)}")?.image?.url
    }
    #expect(image(#""image":["data:x","https://c.net/2"]"#) == "https://c.net/2")
    #expect(image(#""image":[{"contentUrl":"https://c.net/3"}]"#) == "https://c.net/3")
    #expect(image(#""image":"","thumbnailUrl":["https://c.net/4"]"#) == "https://c.net/4")
    #expect(image(#""thumbnailUrl":["https://c.net/4"]"#) == "https://c.net/4")
    #expect(image(#""thumbnailUrl":"https://c.net/5","image":"javascript:x""#) == "https://c.net/5")
    #expect(
      image(#""image":{"url":["https://c.net/6"],"width":{"value":-3}}"#) == "https://c.net/6")
  }

  @Test("an image may be a reference to another node of the graph")
  func references() {
    let tag = tag(
      """
      {"@graph":[{"@type":"Article","headline":"T","image":{"@id":"#i"}},
       {"@type":"ImageObject","@id":"#i","url":"/i.png","width":9.0,"height":99999999999}]}
      """)
    let image = OpenGraphImage(url: "https://www.example.com/i.png", width: 9, height: 0)
    #expect(tag?.image == image)
  }

  @Test("the URL of structured data is the page's URL, at most in another form")
  func address() {
    let base = #"{"@type":"Article","headline":"T""#
    for page in [
      #""mainEntityOfPage":{"@type":"WebPage","@id":"https://example.com/p/q"}"#,
      #""url":"https://example.com/p/q#top""#,
    ] {
      let url = tag("\(base),\(page)}")?.url
      #expect(url?.hasPrefix("https://example.com/p/q") == true, "\(page)")
    }
    #expect(
      tag(base + #","mainEntityOfPage":{"@id":"/p/q#webpage"}}"#)?.url
        == "https://www.example.com/p/q")
    #expect(
      tag(base + #","url":"/p/q/"}"#, and: "<link rel=canonical href=/c>")?.url
        == "https://www.example.com/c")
  }

  private static let aboutOthers = [
    #"{"@type":"Product","name":"Degreaser","url":"/shop/degreaser"}"#,
    #"{"@type":"Product","name":"Degreaser","@id":"https://www.example.com/shop/degreaser"}"#,
    #"{"@type":"Product","name":"Degreaser","offers":{"@type":"Offer","url":"/shop/degreaser"}}"#,
    #"{"@type":"Product","name":"Degreaser","offers":[{"price":1},{"url":"/shop/degreaser"}]}"#,
    #"{"@type":"Article","headline":"Degreaser","mainEntityOfPage":"https://evil.net/"}"#,
    #"{"@type":"Article","headline":"Degreaser","mainEntityOfPage":{"@id":"/shop#page"}}"#,
    #"{"@graph":[{"@type":"Recipe","name":"Degreaser","url":["/r/1"]}]}"#,
    #"[{"@type":"WebPage","name":"Degreaser","url":"/other","description":"D"}]"#,
    #"{"@type":"WebPage","url":"/other","mainEntity":{"@type":"Product","name":"Degreaser"}}"#,
    #"{"@type":"Event","name":"Degreaser","url":"/p/q?id=7"}"#,
    #"[{"@type":"Product","name":"Degreaser"},{"@type":"Product","name":"Brush"}]"#,
    #"{"@type":"Organization","name":"Degreaser","url":"https://other.net/"}"#,
    #"{"@type":"Product","name":"Cleaning t","url":"/shop/degreaser"}"#,
  ]

  @Test("structured data about another page is ignored", arguments: aboutOthers)
  func elsewhere(json: String) {
    let script = script(json)
    let plain = "<title>Cleaning tips</title>"
    #expect(PageReader.tag(script + plain) == PageReader.tag(plain))
    let openGraph = """
      <meta property=og:title content='Cleaning tips'><meta property=og:description content=OD>
      <meta property=og:image content=/o.png>
      """
    #expect(PageReader.tag(openGraph + script) == PageReader.tag(openGraph))
  }

  @Test(
    "structured data is used if it names this page, or if the page's title contains its name",
    arguments: [
      #"{"@type":"Product","name":"Degreaser","url":"/p/q?utm=1","description":"D"}"#,
      #"{"@type":"Product","name":"Degreaser","url":"/p/q/","description":"D"}"#,
      #"{"@type":"Product","name":"Degreaser","url":"https://m.example.com/p/q","description":"D"}"#,
      #"{"@type":"Product","name":"Degreaser","url":"/canonical","description":"D"}"#,
      #"{"@type":"Product","name":"Degreaser","@id":"/p/q","url":"/shop","description":"D"}"#,
      #"{"@type":"Product","name":"cleaning TIPS","url":"/shop","description":"D"}"#,
      #"{"@type":"Product","name":"Tips &amp; tricks","url":"/shop","description":"D"}"#,
      #"{"@type":"Product","name":"Degreaser","description":"D"}"#,
      #"""
      {"@type":"ItemPage","mainEntity":{"@type":"Product","name":"Degreaser","description":"D"}}
      """#,
      #"""
      [{"@type":"Product","@id":"#b","name":"Brush"},{"@type":"Product","@id":"#a","name":"X","description":"D"},
       {"@type":"WebPage","url":"/p/q","mainEntity":{"@id":"#a"}}]
      """#,
    ])
  func counts(json: String) {
    let page =
      "<link rel=canonical href=/canonical><title>Cleaning tips &amp; tricks - Shop</title>"
      + script(json)
    let tag = PageReader.tag(Array(page.utf8), url: "https://www.example.com/p/q?utm=1&x=2")
    #expect(tag?.description == "D")
  }

  @Test("hosts of different owners never count as one page")
  func owners() {
    let json = script(#"{"@type":"Article","headline":"T","url":"https://www.github.io/p/q"}"#)
    #expect(PageReader.tag(Array(json.utf8), url: "https://m.github.io/p/q") == nil)
    #expect(PageReader.tag(Array(json.utf8), url: "https://www.github.io/p/q?x")?.title == "T")
  }

  @Test("a page's URL is the same in every percent-encoding")
  func encodings() {
    let json = #"""
      {"@type":"Product","name":"N","url":"/%e3%81%82%28b%29?c=%c3%a9","description":"D"}
      """#
    let page = Array(script(json).utf8)
    let site = "https://www.example.com"
    for path in ["/あ(b)?c=é", "/%E3%81%82(b)/?c=%C3%A9"] {
      #expect(PageReader.tag(page, url: site + path)?.description == "D", "\(path)")
    }
    for path in ["/い(b)?c=é", "/あ(b)?c=e"] {
      #expect(PageReader.tag(page, url: site + path) == nil, "\(path)")
    }
  }

  @Test("of a list of items with other URLs only the one with this URL is used")
  func lists() {
    let products = (1...5).map { #"{"@type":"Product","name":"P\#($0)","url":"/p/\#($0)"}"# }
    let list = "[" + products.joined(separator: ",") + "]"
    #expect(tag(list) == nil)
    let page = Array(script(list).utf8)
    #expect(PageReader.tag(page, url: "https://www.example.com/p/4/")?.title == "P4")
    #expect(tag("[" + products.prefix(2).joined(separator: ",") + "]") == nil)
  }

  @Test("a name is searched in one pass over a title", .patientTimeLimit(minutes: 1))
  func longNames() {
    let title = String(repeating: "a", count: 1_024)
    let node = "{\"@type\":\"Product\",\"url\":\"/x\",\"name\":\"\(title)b\"}"
    let list = "[" + Array(repeating: node, count: 64).joined(separator: ",") + "]"
    #expect(PageReader.title("<title>\(title)</title>" + script(list)) == title)
  }

  @Test("many, large and deep scripts are ignored beyond their limits")
  func bounds() {
    let good = script(#"{"@type":"Article","headline":"T"}"#)
    #expect(PageReader.title(script("{}") + good) == "T")
    let padding = script(String(repeating: " ", count: 140_000) + "{}")
    #expect(PageReader.title(padding + padding + padding + good) == "T")
    let deep = String(repeating: "[", count: 60_000) + String(repeating: "]", count: 60_000)
    #expect(PageReader.title(script(deep) + good) == "T")
    let wide = "[" + String(repeating: "0,", count: 60_000) + "0]"
    #expect(PageReader.title(script(wide) + good) == "T")
    #expect(PageReader.tag(String(repeating: script("{}"), count: 10_000) + good) == nil)
  }

  @Test(
    "a megabyte of comment marks is removed in one pass, from either end",
    .patientTimeLimit(minutes: 1))
  func endlessMarks() {
    for mark in ["<!--", "//", "-->", "<!-- "] {
      let marks = String(repeating: mark, count: 1_000_000 / mark.utf8.count)
      #expect(ScriptWrapping.unwrap(Array(marks.utf8)[...]).isEmpty)
    }
    let behind = "{}" + String(repeating: "]]> ", count: 250_000)
    #expect(ScriptWrapping.unwrap(Array(behind.utf8)[...]).elementsEqual("{}".utf8))
  }
}
