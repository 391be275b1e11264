import HTTP
import Testing

@testable import Gateway

@Suite("Embedded documents")
struct EmbeddedDocumentTests {
  private let content = Array(String(repeating: "parley ", count: 400).utf8)

  private func response(
    _ fields: HTTPFields = [:], lifetime: EmbeddedDocument.Lifetime = .brief
  ) -> HTTPResponse {
    let document = EmbeddedDocument(content, mediaType: "text/plain", lifetime: lifetime)
    return document.response(to: HTTPRequestHead(method: "GET", target: "/", fields: fields))
  }

  @Test("each encoding has its own tag, and either is recognized")
  func tags() throws {
    let plain = response()
    let compressed = response(["Accept-Encoding": "gzip"])
    #expect(plain.body == content)
    #expect(plain.fields["Content-Encoding"] == nil)
    #expect(compressed.fields["Content-Encoding"] == "gzip")
    #expect(compressed.body.count < content.count / 10)
    let tags = try [plain, compressed].map { try #require($0.fields["ETag"]) }
    #expect(Set(tags).count == 2)
    for tag in tags + ["*", "\"x\", \(tags[0])"] {
      #expect(response(["If-None-Match": tag]).status == .notModified, "\(tag)")
    }
    #expect(response(["If-None-Match": "\"x\""]).status == .ok)
  }

  @Test("a name derived from the content is cached forever")
  func lifetimes() {
    #expect(response().fields["Cache-Control"] == "public, max-age=300")
    #expect(
      response(lifetime: .lasting).fields["Cache-Control"] == "public, max-age=31536000, immutable")
  }

  @Test(
    "gzip is used for clients that take it",
    arguments: [
      ("gzip", true), ("deflate, GZIP;q=0.5", true), ("br;q=1, x-gzip", true), ("", false),
      ("br, deflate", false), ("gzip;q=0", false), ("gzip; q=0.000", false), ("gzipped", false),
    ])
  func acceptance(field: String, isAccepted: Bool) {
    #expect(Gzip.isAccepted(by: [field]) == isAccepted)
    #expect(Gzip.isAccepted(by: []) == false)
  }
}
