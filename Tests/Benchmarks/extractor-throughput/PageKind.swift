/// A kind of page: something at its beginning, and one piece over and over.
struct PageKind {
  let name: String
  let piece: [UInt8]
  let contentType: String

  init(_ name: String, _ piece: String, contentType: String = "text/html") {
    self.init(name, Array(piece.utf8), contentType: contentType)
  }

  init(_ name: String, _ piece: [UInt8], contentType: String = "text/html") {
    self.name = name
    self.piece = piece
    self.contentType = contentType
  }

  /// A page of at least that many bytes.
  func page(ofLength length: Int) -> [UInt8] {
    var page = Array("<!DOCTYPE html><html><head><title>T</title>".utf8)
    // What a page begins with tells text from binaries; the pieces are to be read as text.
    page += [UInt8](repeating: UInt8(ascii: " "), count: 512)
    if contentType.hasSuffix("utf-16le") { page = page.flatMap { [$0, 0] } }
    page.reserveCapacity(length + piece.count)
    while page.count < length { page += piece }
    return page
  }

  static let all = typical + hostile
}

extension PageKind {
  private static let typical = [
    PageKind("article", article), PageKind("minified", minified), PageKind("scripts", scripts),
    PageKind("inline-svg", svg), PageKind("korean", korean),
    PageKind(
      "utf-16", Array(article.utf8).flatMap { [$0, 0] },
      contentType: "text/html; charset=utf-16le"),
    PageKind("linked-data", linkedData),
  ]

  private static let hostile = [
    ("<", "<"), ("<b>", "<b>"), ("<b><i>", "<b><i>"), ("</b>", "</b>"), ("</", "</"),
    ("<!--", "<!--"), ("<!---->", "<!---->"), ("<!-->", "<!-->"), ("dashes-in-comment", "<!-- - "),
    ("<!", "<!"), ("<!x>", "<!x>"), ("<?>", "<?>"), ("<![CDATA[", "<![CDATA["),
    ("svg-cdata", "<svg><![CDATA[]"), ("&", "&"), ("&#x10FFFF;", "&#x10FFFF;"), ("nul", "\0"),
    ("escape", "\u{1b}"), ("escape-kanji", "\u{1b}$B"), ("attributes", "<a b=c d=e f=g "),
    ("attribute-names", "<a b c d e f g h i j k l m n o p "),
    ("meta-attributes", "<meta a=b c=d e=f "), ("meta-content", "<meta name=a content=b>"),
    ("meta-known", "<meta property=og:title name=description content='&nbsp;'>"),
    ("meta-keys", "<meta name='a b c d e f g h i j k l m n o p' content=x>"),
    ("meta-charset", "<meta charset=x>"), ("meta-image", "<meta property=og:image content=/a>"),
    ("meta-blank-references", blank("&nbsp;")), ("meta-blank-numbers", blank("&#160;")),
    ("meta-blank-spaces", blank("\u{a0}")), ("meta-no-references", blank("&nbsp;&ZeroWidthSpac")),
    ("meta-legacy-references", blank("&nbsp;&aaaaaa")), ("link-embed", embed),
    ("link", "<link rel=canonical href=x>"), ("link-rels", "<link rel='a b c d e f g h' href=x>"),
    ("base", "<base href=x>"), ("unclosed-quote", "<meta content='x"), ("quotes", "<a b=''>"),
    ("title", "<title>x</title>"), ("title-open", "<title>"), ("title-ends", "<title></titl"),
    ("title-ends-long", "<title></titlex"), ("script", "<script>x</script>"),
    ("script-open", "<script>"), ("script-type", "<script type=x></script>"),
    ("script-escaped", "<script><!-- x "),
    ("linked-data-marks", "<script type=application/ld+json>\(marks)</script>"),
    ("script-dashes", "<script><!-- - - "),
    ("script-double-escaped", "<script><!--<script>"), ("script-less-than", "<script>< < <"),
    ("script-ends", "<script></scrip "), ("linked-data-small", scripted("{}")),
    ("linked-data-open", "<script type=application/ld+json>["),
    ("linked-data-escaped", "<script type=application/ld+json><!-- x "),
    ("template", "<template>"), ("svg", "<svg>"), ("body", "<body></head>"),
    ("textarea", "<textarea></textare"), ("unquoted-values", "<a b=cccccccccccccccc>"),
    ("long-tag-names", "<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>"), ("slashes", "<a/////////"),
    ("equals", "<a = = = = "), ("spaces-in-tag", "<a                              "),
    ("newlines", "\n"), ("text", "lorem ipsum dolor sit amet, "),
  ].map { PageKind("hostile:\($0.0)", $0.1) }

  private static func blank(_ text: String) -> String {
    "<meta property=og:title content='\(String(repeating: text, count: 80))'>"
  }

  private static let embed = "<link rel=alternate type=application/json+oembed href='&nbsp;'>"

  private static func scripted(_ json: String) -> String {
    "<script type='application/ld+json'>\(json)</script>"
  }

  private static let article = """
    <div class="post-body entry-content" id="post-1842" data-track='{"a":1}'>
      <h2 class="title"><a href="https://www.example.com/2024/05/a-walk/?utm_source=feed">A walk</a></h2>
      <p class="lead">It had rained all night &amp; the path along the river was <em>soft</em>, so we
      took the upper road, past the mill and the two farms, and came down again by the church.</p>
      <!-- related -->
      <ul><li><a href="/tag/river">river</a></li><li><a href="/tag/mill" rel="tag">mill</a></li></ul>
      <img src="/img/a.jpg" srcset="/img/a-2x.jpg 2x" width="640" height="480" alt="The mill" loading="lazy">
    </div>

    """

  private static let minified = """
    <div class=c1><a href=/p/1 class="b x-2 y">One</a><span>&middot;</span><a href=/p/2>Two</a></div>\
    <meta itemprop=price content=10><i class=icon></i><p>Short text here.
    """

  private static let scripts = """
    <script nonce="abc" src="/static/chunk.js" async></script>
    <script>window.data=[{"id":1,"html":"<b>x<\\/b>","n":[1,2,3,4,5,6,7,8,9]}];for(let i=0;i<9;i++){f(i)}</script>
    <style>.a>b{margin:0 auto;padding:1px}.c:hover{color:#123}</style>

    """

  private static let svg = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M12 2C6.48 2 2 6.48 2 12s4.48\
     10 10 10 10-4.48 10-10S17.52 2 12 2zm1 15h-2v-6h2v6zm0-8h-2V7h2v2z"/><title>i</title></svg>

    """

  private static let korean = """
    <li class="list_item"><a href="/news/1">오늘의 날씨는 대체로 맑겠으며 남부 지방은 흐리겠습니다.</a><span>3분 전</span></li>

    """

  /// What templates put around a script, as often as one may be long.
  private static let marks = String(repeating: "<!--", count: 30_000)

  private static let linkedData = scripted(
    """
    {"@context":"https://schema.org","@graph":[{"@type":"BreadcrumbList","itemListElement":[{"@type":\
    "ListItem","position":1,"item":{"@id":"https://www.example.com/","name":"Home"}}]},{"@type":"Offer",\
    "price":"10.00","description":"A long text, such as shops write about their things, and then some."}]}
    """)
}
