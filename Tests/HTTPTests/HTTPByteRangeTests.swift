import HTTP
import Testing

@Suite("A byte range")
struct HTTPByteRangeTests {
  @Test(
    "is parsed according to RFC 9110 §14",
    arguments: [
      ("bytes=0-499", .part(0..<500)), ("bytes=500-999", .part(500..<1000)),
      ("bytes=-500", .part(500..<1000)), ("bytes=900-", .part(900..<1000)),
      ("Bytes = 0-0", .whole), ("bytes=0-0", .part(0..<1)), ("bytes=-5000", .part(0..<1000)),
      ("bytes=999-99999999999999999999", .part(999..<1000)), ("bytes=1000-", .unsatisfiable),
      ("bytes=99999999999999999999-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
      ("bytes=5-4", .whole), ("bytes=0-1,5-6", .whole), ("bytes=", .whole), ("bytes=-", .whole),
      ("bytes=a-b", .whole), ("bytes=0--1", .whole), ("lines=0-1", .whole), ("", .whole),
      ("bytes= 0 - 9", .part(0..<10)),
    ] as [(String, HTTPByteRange)])
  func reads(field: String, expected: HTTPByteRange) {
    #expect(HTTPByteRange(field, length: 1000) == expected)
  }

  @Test("of nothing cannot be satisfied, and without a field is the whole content")
  func edges() {
    #expect(HTTPByteRange("bytes=0-", length: 0) == .unsatisfiable)
    #expect(HTTPByteRange("bytes=-1", length: 0) == .unsatisfiable)
    #expect(HTTPByteRange(nil, length: 0) == .whole)
  }

  @Test("continues only the version that the client has (RFC 9110 §13.1.5)")
  func conditions() {
    var head = HTTPRequestHead(target: "/", fields: ["Range": "bytes=1-", "If-Range": "\"a\""])
    #expect(head.range(length: 10, tag: "\"a\"") == .part(1..<10))
    #expect(head.range(length: 10, tag: "\"b\"") == .whole)
    head.fields["If-Range"] = nil
    #expect(head.range(length: 10, tag: "\"b\"") == .part(1..<10))
    head.fields.append("Range", "bytes=2-")
    #expect(head.range(length: 10, tag: "\"b\"") == .whole)
  }

  @Test("the client's version is identified by its tag, compared weakly")
  func versions() {
    func has(_ field: String) -> Bool {
      HTTPRequestHead(target: "/", fields: ["If-None-Match": field]).hasVersion("\"a\"")
    }
    #expect(has("\"a\"") && has("W/\"a\"") && has("\"b\", \"a\"") && has("*"))
    #expect(!has("\"b\"") && !has("a") && !has("\"aa\""))
  }
}
