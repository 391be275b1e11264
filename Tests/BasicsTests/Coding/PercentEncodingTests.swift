import Basics
import TestSupport
import Testing

@Suite("Percent-encoding of a URL component")
struct PercentEncodingTests {
  @Test("encodes all but unreserved characters (RFC 3986 §2.3)")
  func encoding() {
    #expect(PercentEncoding.encode("aZ0-._~") == "aZ0-._~")
    #expect(PercentEncoding.encode("a b/ü?") == "a%20b%2F%C3%BC%3F")
  }

  @Test("an encoded text never points to another path")
  func dots() {
    #expect(PercentEncoding.encode(pathPart: "..") == "%2E%2E")
    #expect(PercentEncoding.encode(pathPart: ".") == "%2E")
    #expect(PercentEncoding.encode(pathPart: "a/..") == "a%2F..")
  }

  @Test("a text is restored from any encoding of it", arguments: UInt64(1)...30)
  func roundTrip(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes = random.bytes(Int.random(in: 0...80, using: &random))
    let kept = PercentEncoding.Literals { $0 != UInt8(ascii: "%") && $0 & 1 == seed & 1 }
    #expect(PercentEncoding.decode(PercentEncoding.encode(bytes, keeping: kept).utf8) == bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(PercentEncoding.text(PercentEncoding.encode(text).utf8) == text)
    let foreign = PercentEncoding.encode(text).utf8.filter {
      $0 != UInt8(ascii: "%") && !PercentEncoding.Literals.unreserved.contains($0)
    }
    #expect(foreign.isEmpty)
  }

  @Test(
    "a percent sign without two digits is refused", arguments: ["%", "%4", "%4g", "a%%20", "%é"])
  func malformed(text: String) {
    #expect(PercentEncoding.decode(text.utf8) == nil)
  }

  @Test("bytes that are not UTF-8 are refused")
  func notText() {
    #expect(PercentEncoding.decode("%ff".utf8) == [0xff])
    #expect(PercentEncoding.text("%ff".utf8) == nil)
  }
}
