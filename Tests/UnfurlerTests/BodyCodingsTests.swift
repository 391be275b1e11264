import Testing

@testable import Unfurler

@Suite("Codings of bodies")
struct BodyCodingsTests {
  private func count(_ lines: String...) -> Int {
    var codings = BodyCodings()
    for line in lines {
      Array((line + "\r\n").utf8).withUnsafeBufferPointer { codings.receive($0) }
    }
    return codings.count
  }

  @Test("an invalid coding is detected, and is not a compression")
  func unknown() {
    for name in ["UTF-8", "utf8", "binary", "text/html", "8bit", "aws-chunked"] {
      var codings = BodyCodings()
      Array("Content-Encoding: \(name), gzip\r\n".utf8).withUnsafeBufferPointer {
        codings.receive($0)
      }
      #expect(codings.hasUnknown && codings.count == 1, "\(name)")
    }
    var codings = BodyCodings()
    for line in ["Content-Encoding: none\r\n", "Transfer-Encoding: chunked\r\n"] {
      Array(line.utf8).withUnsafeBufferPointer { codings.receive($0) }
    }
    #expect(!codings.hasUnknown && codings.count == 0)
  }

  @Test("compressions are counted over all fields with either name")
  func counts() {
    #expect(count("HTTP/1.1 200 OK", "Content-Type: text/html", "") == 0)
    #expect(count("Content-Encoding: gzip") == 1)
    #expect(count("CONTENT-ENCODING:GZIP,br") == 2)
    #expect(count("content-encoding: gzip", "transfer-encoding: gzip, chunked") == 2)
    #expect(count("Transfer-Encoding: chunked", "Content-Encoding: identity") == 0)
    #expect(count("Content-Encodings: gzip", "X-Content-Encoding: gzip", "Content-Encoding") == 0)
  }
}
