import LinkPreview
import ParleyProtocol
import Testing

@Suite("oEmbed")
struct OEmbedTests {
  private func response(_ json: String) throws -> OEmbedResponse {
    let address = try #require(WebURL("https://api.example.com/oembed?url=x"))
    return try OEmbedResponse(Array(json.utf8), from: address)
  }

  private func embedURL(_ page: String) -> String? { PageReader.report(page)?.embedURL?.text }

  @Test("the oEmbed link of a page is found")
  func discovery() {
    let link = "<link rel=alternate type=application/json+oembed href="
    #expect(embedURL("\(link)'/o?a=1&amp;b=2'>") == "https://www.example.com/o?a=1&b=2")
    #expect(embedURL("\(link)data:x>\(link)/2>\(link)/3>") == "https://www.example.com/2")
    #expect(
      embedURL("<base href=//c.net><LINK REL='x Alternate' TYPE='Application/JSON+oEmbed' HREF=o>")
        == "https://c.net/o")
    #expect(embedURL("<link rel=alternate type=text/xml+oembed href=/o>") == nil)
    #expect(embedURL("<link rel=alternate href=/o>") == nil)
    #expect(embedURL("<link type=application/json+oembed href=/o>") == nil)
    #expect(embedURL("<template>\(link)/o></template>") == nil)
  }

  @Test("a video provides title and thumbnail, a photo provides itself")
  func reading() throws {
    let video = try response(
      """
      {"version":"1.0","type":"video","title":" A &amp; B\\n","provider_name":"P","url":"/no",
       "thumbnail_url":"//c.net/t.jpg","thumbnail_width":480,"thumbnail_height":"360"}
      """)
    #expect(video.title == "A & B")
    #expect(video.image == OpenGraphImage(url: "https://c.net/t.jpg", width: 480, height: 360))
    let photo = try response(
      #"{"type":"photo","url":"https://c.net/p","width":9,"height":8,"thumbnail_url":"https://c.net/t"}"#
    )
    #expect(photo.image == OpenGraphImage(url: "https://c.net/p", width: 9, height: 8))
    #expect(photo.title == nil)
    let odd = try response(
      #"{"type":"photo","url":"data:x","title":7,"thumbnail_url":"javascript:x"}"#)
    #expect(odd == (try response("\u{feff}{}")))
  }

  @Test(
    "a response that is not a JSON object is refused with the reason",
    arguments: [
      ("", "not JSON"), ("<html>", "not JSON"), ("[]", "no JSON object"),
      ("null", "no JSON object"),
      (#"{"title":"#, "not JSON"), (String(repeating: " ", count: 200_000) + "{}", "longer than"),
      (String(repeating: "[", count: 1_000), "nested deeper"),
    ])
  func refusal(json: String, fault: String) throws {
    let error = #expect(throws: OEmbedError.self) { try response(json) }
    #expect(error?.description.contains(fault) == true)
  }

  @Test("a response takes precedence over plain HTML, and every other source over the response")
  func completing() throws {
    let answer = try response(
      #"{"title":"O","description":"OD","thumbnail_url":"https://c.net/o"}"#)
    let plain = "<title>E</title><meta name=description content=P><link rel=image_src href=/l>"
    let completed = try #require(PageReader.report(plain)).completed(with: answer)
    #expect(completed.tag?.title == "O")
    #expect(completed.tag?.description == "OD")
    #expect(completed.tag?.image == OpenGraphImage(url: "https://c.net/o"))
    #expect(
      completed.origins.map(\.source)
        == ["oEmbed title", "final address", "oEmbed description", "oEmbed image"])
    let data = #"<script type=application/ld+json>{"@type":"Article","name":"J"}</script>"#
    let rich = try #require(PageReader.report(plain + data)).completed(with: answer)
    #expect(rich.tag?.title == "J")
    #expect(rich.tag?.description == "OD")
    let full = "<meta property=og:title content=T><meta name=twitter:description content=D>"
    let kept = try #require(PageReader.report(full + plain)).completed(with: answer)
    #expect(kept.tag?.title == "T")
    #expect(kept.tag?.description == "D")
    #expect(kept.origins.first?.source == "meta property=og:title")
  }

  @Test("a response gives a page without metadata a preview, under the page's own URL")
  func rescue() throws {
    let report = try #require(PageReader.report("<link rel=canonical href=/c>"))
    #expect(report.problem == "neither title nor description nor image")
    let completed = report.completed(with: try response(#"{"title":"O"}"#))
    #expect(completed.tag == OpenGraphTag(title: "O", url: "https://www.example.com/c"))
    #expect(completed.problem == nil)
    #expect(report.completed(with: try response("{}")) == report)
  }
}
