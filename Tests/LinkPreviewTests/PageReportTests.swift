import LinkPreview
import ParleyProtocol
import Testing

@Suite("Reports on pages")
struct PageReportTests {
  private func origins(_ page: String) -> [String] {
    PageReader.report(page)?.origins.map { "\($0.member): \($0.source)" } ?? []
  }

  @Test("each member's source is reported, in the tag's order")
  func sources() {
    #expect(
      origins(
        """
        <link rel=canonical href=/c><meta name=og:description content=D>
        <meta name=twitter:image:src content=/i><title>T</title>
        """) == [
          "og:title: title element", "og:url: link rel=canonical",
          "og:description: meta name=og:description", "og:image: meta name=twitter:image:src",
        ])
    #expect(
      origins("<meta property=og:title content=T>") == [
        "og:title: meta property=og:title", "og:url: final address",
      ])
    #expect(origins("<p>") == [])
  }

  @Test("skipped candidates are reported")
  func passedOver() {
    let images = "<meta property=og:image content=data:x><meta property=og:image content=/i>"
    #expect(
      PageReader.source(of: "og:image", images)
        == "meta property=og:image (candidate 2; the first is no http or https URL)")
    let urls = """
      <title>T</title><meta property=og:url content=https://evil.com/>
      <meta property=og:url content=/u>
      """
    #expect(
      PageReader.source(of: "og:url", urls)
        == "meta property=og:url (candidate 2; the first is another site's)")
  }

  @Test(
    "the reason for a missing preview is reported",
    arguments: [
      ("", "the body is empty"), ("<p>x", "neither title nor description nor image"),
      ("%PDF-1.7", "the body is not text (PDF)"), ("GIF89a", "the body is not text (GIF)"),
      ("\u{1}\u{2}\u{3}x", "the body is not text (control characters)"),
      (" \n", "neither title nor description nor image"),
    ])
  func problems(page: String, problem: String) {
    let report = PageReader.report(page)
    #expect(report?.tag == nil)
    #expect(report?.problem == problem)
    #expect(report?.origins == [])
  }

  @Test("the character set and its source are reported")
  func characterSets() {
    func characterSet(_ page: String, _ type: String = "text/html") -> String? {
      PageReader.report(Array(page.utf8), contentType: type)?.characterSet
    }
    #expect(characterSet("<title>x") == "UTF-8 (guessed)")
    #expect(characterSet("<meta charset=ks_c_5601-1987>") == "EUC-KR (meta element)")
    #expect(characterSet("<meta charset=utf-16>") == "UTF-8 (meta element)")
    #expect(PageReader.report([0x3c, 0, 0x62, 0])?.characterSet == "UTF-16LE (guessed)")
    #expect(characterSet("<p>", "text/html; charset=x-sjis") == "Shift_JIS (Content-Type)")
    #expect(characterSet("\u{feff}<p>", "text/html; charset=gbk") == "UTF-8 (byte order mark)")
    #expect(characterSet("<?xml version='1.0' encoding='big5'?>") == "Big5 (XML declaration)")
    #expect(PageReader.report([0x3c, 0x62, 0x3e, 0xe9])?.characterSet == "UTF-8 (guessed)")
    let latin = Array("<title>".utf8) + [0xe9] + Array("</title>".utf8)
    #expect(PageReader.report(latin)?.characterSet == "windows-1252 (guessed)")
  }
}
