import LinkPreview
import ParleyProtocol
import Testing

/// Pages that are awkward to read, and the title that a browser's tokenizer would see in them.
@Suite("Page quirks: which tags are used")
struct TitleQuirkTests {
  private static let tag = #"<meta property="og:title" content="T">"#

  @Test(
    "a tag that an HTML5 tokenizer emits is used",
    arguments: [
      tag, "<META PROPERTY=\"OG:TITLE\" CONTENT=\"T\">", "<meta property=og:title content=T>",
      "<meta property='og:title' content='T'>", "<meta property=\"og:title\" content=\"T\"/>",
      "<meta/property=\"og:title\"/content=\"T\">", "<meta property=og:title content=T / x>",
      "<meta content=T property=og:title>", "<meta\nproperty\t=\r\n'og:title'\u{c}content =T >",
      "<meta name=og:title content=T>", "<meta property=' og:title ' content=T>",
      "<meta property='x og:title y' content=T>", "<meta name=x property=og:title content=T>",
      "<meta property=og:title name=description content=T>",
      "<meta property=og:title content=T content=U>", "<meta content=T \"=x property=og:title>",
      "<meta property=\"og:title\"content=\"T\">", "<meta =x property=og:title content=T>",
      "<body><div>\(tag)</div>", "<p>1 < 2</p>\(tag)", "<>\(tag)", "</>\(tag)", "<3\(tag)",
      "<!-->\(tag)", "<!--->\(tag)", "<!-- a -- b -->\(tag)", "<!-- --!>\(tag)", "<!---->\(tag)",
      "<!-- <!-- -->\(tag)", "<!a>\(tag)", "<?php ?>\(tag)", "</ x>\(tag)",
      "<!DOCTYPE html PUBLIC \"-//W3C//DTD\" 'x'>\(tag)", "<![CDATA[ x > \(tag)",
      "<script>x</script>\(tag)", "<script>'</scripty>'</script >\(tag)",
      "<script><!-- x --></script>\(tag)", "<script><!-- </script>\(tag)",
      "<script><!-- <script> </script> --> </script>\(tag)",
      "<script><!--><script></script>\(tag)", "<SCRIPT></sCrIpT\n>\(tag)",
      "<style>a > b</style>\(tag)", "<textarea></textarea>\(tag)",
      "<title></textarea></title>\(tag)", "<template><b></template>\(tag)",
      "<svg><title>no</title></svg>\(tag)", "<svg><![CDATA[ <b> ]]></svg>\(tag)",
      "<svg><style></svg>\(tag)", "<x a='>'>\(tag)", "<x a=\">\" b='\"'>\(tag)",
      "<meta property=og:title content=''>\(tag)", "<meta property=og:title>\(tag)",
      "<meta property=og:title content=' &nbsp; '>\(tag)",
      "\(tag)<meta property=og:title content=U>",
      "<title>U</title><meta name=twitter:title content=V>\(tag)", "<br/>\(tag)",
      "<noscript><b></noscript>\(tag)", "<select><option>\(tag)", "<frameset>\(tag)",
      "<a href='x\(String(repeating: "y", count: 50_000))'>\(tag)",
      "<\(String(repeating: "y", count: 50_000))>\(tag)", "\u{feff}\(tag)", "\0\(tag)",
    ])
  func counts(page: String) {
    #expect(PageReader.title(page) == "T")
  }

  @Test(
    "a tag that an HTML5 tokenizer does not emit is ignored",
    arguments: [
      "<!-- \(tag) -->", "<!-- -- > \(tag)", "<script>\(tag)</script>", "<style>\(tag)</style>",
      "<textarea>\(tag)</textarea>", "<xmp>\(tag)</xmp>", "<iframe>\(tag)</iframe>",
      "<noembed>\(tag)</noembed>", "<noframes>\(tag)</noframes>", "<noscript>\(tag)</noscript>",
      "<plaintext>\(tag)", "<template>\(tag)</template>",
      "<template><template></template>\(tag)</template>",
      "<script><!--<script></script>\(tag)--></script>", "<svg><![CDATA[\(tag)]]></svg>",
      "<meta property='og:title' content='T", "<x a='\(tag)'>", "<script>\(tag)",
      "<meta property=og:title content=>", "</meta property=og:title content=T>",
      "<metas property=og:title content=T>", "<meta property=og:titles content=T>", "&lt;meta>",
      "<meta property=og content=T>", "<meta property=og: title content=T>",
    ])
  func doesNotCount(page: String) {
    #expect(PageReader.title(page) == nil)
  }

  @Test("the title is taken from og, twitter, or the title element, in this order")
  func order() {
    let twitter = "<meta name=twitter:title content=W>"
    #expect(PageReader.title("<title>E</title>") == "E")
    #expect(PageReader.title("<title>E</title>\(twitter)") == "W")
    #expect(PageReader.title("<title>E</title>\(twitter)\(Self.tag)") == "T")
    #expect(PageReader.title("<title> </title><title>E</title><title>F</title>") == "E")
    #expect(
      PageReader.title("<title>a</b><!--c--></titles>&amp;</title>") == "a</b><!--c--></titles>&")
    #expect(PageReader.title("<svg><title>no</title></svg><title>E</title>") == "E")
    #expect(PageReader.title("<template><title>no</title></template><title>E</title>") == "E")
    #expect(PageReader.title("<svg><p></p><title>E</title>") == "E")
  }

  @Test("links and base elements of an SVG are not those of the page")
  func foreignLinks() {
    let page = """
      <svg><link rel=canonical href=/no><link rel=image_src href=/no.png><base href=/no/></svg>
      <title>E</title><link rel=image_src href=i.png>
      """
    #expect(PageReader.tag(page)?.url == "https://www.example.com/p/q")
    #expect(PageReader.tag(page)?.image?.url == "https://www.example.com/p/i.png")
  }

  @Test("in XHTML an empty element has no content")
  func xhtml() {
    let page = Array("<script src='x'/><title>E</title>".utf8)
    #expect(PageReader.tag(page, contentType: "application/xhtml+xml")?.title == "E")
    #expect(PageReader.tag(page) == nil)
  }

  @Test("a page is read the same way, however its bytes are split")
  func splitting() {
    let page = """
      <!DOCTYPE html><!-- x --><script><!--<script>'</script>'--></script><svg><![CDATA[>]]></svg>
      <head><title>a &amp; b</tit</title><meta/property='og:image' content="/i.png"><base href=/b/>
      <meta name=description content='d &lt; e'><textarea></textare</textarea><link rel=canonical href=c>
      """
    let whole = PageReader.tag(Array(page.utf8))
    #expect(whole?.image?.url == "https://www.example.com/i.png")
    #expect(whole?.url == "https://www.example.com/b/c")
    let padded = Array((String(repeating: " ", count: 512) + page).utf8)
    for chunk in [1, 2, 3, 7, 64, 511, 512, 513] {
      #expect(PageReader.tag(padded, chunk: chunk) == whole, "chunks of \(chunk)")
    }
  }
}
