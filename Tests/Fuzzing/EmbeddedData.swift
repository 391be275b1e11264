@testable import LinkPreview
import Basics
import ParleyProtocol

/// Reads any bytes as JSON of the web: an oEmbed answer and a script of linked data.
///
/// Texts keep their limits and addresses are http or https.
enum EmbeddedDataHarness: Harness {
  static func run(_ input: [UInt8]) {
    guard let url = WebURL("https://www.example.com/a/b") else { return }
    if let answer = try? OEmbedResponse(input, from: url) {
      check(answer.title, PreviewLimits.title)
      check(answer.description, PreviewLimits.description)
      check(address: answer.image?.url)
    }
    let page = PageIdentity(addresses: [url], titles: ["A title"])
    let data = StructuredData(
      scripts: [String(decoding: input, as: UTF8.self)], of: page,
      resolve: { WebURL($0, relativeTo: url) })
    precondition(data.nodes.count <= StructuredData.maximumNodes)
    let text =
      Array(#"<script type="application/ld+json">"#.utf8) + input + Array("</script>".utf8)
    var extractor = OpenGraphExtractor(pageURL: url, contentType: "text/html; charset=utf-8")
    _ = text.withUnsafeBufferPointer { extractor.receive($0.span) }
    let tag = extractor.finish().tag
    check(tag?.title, PreviewLimits.title)
    check(tag?.description, PreviewLimits.description)
    check(address: tag?.image?.url)
    check(address: tag?.url)
  }

  private static func check(_ text: String?, _ limit: Int) {
    guard let text else { return }
    precondition(!text.isEmpty && text.unicodeScalars.count <= limit)
    precondition(DisplayText.line(text, limit: limit) == text, "the text is not clean")
  }

  private static func check(address: String?) {
    guard let address else { return }
    precondition(WebURL(address)?.text == address, "the address is not in its normal form")
  }
}
