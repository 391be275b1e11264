import LinkPreview
import TestSupport
import Testing

@Suite("Fuzzing corpora of the link preview")
struct LinksCorpusTests {
  @Test("a text's link stays the same when more text follows")
  func linkFinder() throws {
    let inputs = try FuzzCorpus.inputs(of: "LinkFinder")
    #expect(!inputs.isEmpty)
    for input in inputs {
      let text = String(decoding: input, as: UTF8.self)
      #expect(LinkFinder.firstURL(in: text + " x") == LinkFinder.firstURL(in: text))
    }
  }

  @Test("each page is read in arbitrary chunks")
  func extractor() throws {
    let inputs = try FuzzCorpus.inputs(of: "OpenGraphExtractor")
    #expect(!inputs.isEmpty)
    let url = try #require(WebURL("https://www.example.com/a/b"))
    for input in inputs {
      // The first two bytes are the harness's choices.
      let page = input.dropFirst(2)
      for size in [1, 7, page.count] {
        var extractor = OpenGraphExtractor(pageURL: url, contentType: "text/html")
        for start in stride(from: page.startIndex, to: page.endIndex, by: size) {
          let piece = Array(page[start..<min(start + size, page.endIndex)])
          if extractor.receive(piece.span) == .finished { break }
        }
        _ = extractor.finish()
      }
    }
  }
}
