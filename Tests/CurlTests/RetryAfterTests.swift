import Testing

@testable import Curl

@Suite("Reading Retry-After")
struct RetryAfterTests {
  @Test("seconds are understood, at most a day of them, and nothing else is")
  func reads() {
    #expect(RetryAfter.milliseconds("0") == 0)
    #expect(RetryAfter.milliseconds("120") == 120_000)
    #expect(RetryAfter.milliseconds("999999999") == 86_400_000)
    let refused = ["", "-1", "1.5", "+3", "9999999999", "Fri, 31 Dec 1999 23:59:59 GMT"]
    for text in refused {
      #expect(RetryAfter.milliseconds(text) == nil, "\(text)")
    }
  }
}
