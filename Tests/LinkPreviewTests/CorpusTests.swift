import Foundation
import LinkPreview
import ParleyProtocol
import Testing

/// Runs the pages in `Corpus`: each `NAME.html`, raw bytes, has a `NAME.json` that says what is odd
/// about it, how it was served, and the preview that is expected.
@Suite("Corpus of pages")
struct CorpusTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Corpus")

  private static func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".html") }.map { String($0.dropLast(5)) }.sorted()
  }

  @Test("the corpus exists")
  func presence() throws {
    #expect(try Self.names().count >= 100)
  }

  @Test("a page of the corpus produces the expected preview", arguments: try names())
  func page(name: String) throws {
    let file = Self.folder.appendingPathComponent(name)
    let page = Array(try Data(contentsOf: file.appendingPathExtension("html")))
    let sheet = Array(try Data(contentsOf: file.appendingPathExtension("json")))
    let json = try JSONDocument(sheet).root
    let why = Comment(rawValue: json["why"]?.string ?? "")
    let url = try #require(json["url"]?.string)
    let contentType = try #require(json["content_type"]?.string)
    let expected = json.present("og_tag").flatMap(OpenGraphTag.init(json:))
    for chunk in [Int.max, 1, 7] {
      let report = PageReader.report(page, contentType: contentType, url: url, chunk: chunk)
      #expect(report?.tag == expected, why)
      #expect((report?.tag == nil) == (report?.problem != nil), why)
    }
  }
}
