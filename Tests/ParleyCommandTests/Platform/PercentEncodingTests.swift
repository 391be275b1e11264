import HTTP1
import Testing

@testable import parley

@Suite("A text as part of a URL")
struct PercentEncodingTests {
  @Test("has all but unreserved characters encoded (RFC 3986 §2.3)")
  func encoding() {
    #expect(PercentEncoding.encode("aZ0-._~") == "aZ0-._~")
    #expect(PercentEncoding.encode("a b/ü?") == "a%20b%2F%C3%BC%3F")
  }

  @Test("never leads to another place of the path")
  func dots() {
    #expect(PercentEncoding.encode(pathPart: "..") == "%2E%2E")
    #expect(PercentEncoding.encode(pathPart: ".") == "%2E")
    #expect(PercentEncoding.encode(pathPart: "a/..") == "a%2F..")
  }
}
