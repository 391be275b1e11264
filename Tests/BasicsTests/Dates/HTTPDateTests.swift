import Testing

@testable import Basics

@Suite("HTTP dates (RFC 9110 §5.6.7)")
struct HTTPDateTests {
  @Test(
    "the RFC's example is the same moment in all three notations",
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 1994",
    ])
  func example(text: String) {
    #expect(HTTPDate(text, currentYear: 2026)?.seconds == 784_111_777)
  }

  @Test(
    "moments around leap days and century boundaries are computed correctly",
    arguments: [
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
      ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
      ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
      ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ] as [(String, Int64)])
  func moments(text: String, seconds: Int64) {
    #expect(HTTPDate(text)?.seconds == seconds)
    #expect(HTTPDate(seconds: seconds).text == text)
  }

  @Test("a two-digit year is at most fifty years in the future")
  func centuries() {
    let text = "Sunday, 06-Nov-76 08:49:37 GMT"
    #expect(
      HTTPDate(text, currentYear: 2026) == HTTPDate("Fri, 06 Nov 2076 08:49:37 GMT"))
    #expect(
      HTTPDate(text, currentYear: 2025) == HTTPDate("Sat, 06 Nov 1976 08:49:37 GMT"))
  }

  @Test(
    "invalid dates return nil",
    arguments: [
      "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
      "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
      "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:x:49:37 GMT",
      "Tue, 29 Feb 2100 00:00:00 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
      "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 ٠٨:49:37 GMT",
    ])
  func noDate(text: String) { #expect(HTTPDate(text) == nil) }
}
