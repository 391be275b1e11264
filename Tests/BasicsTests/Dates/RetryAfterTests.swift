import TestSupport
import Testing

@testable import Basics

@Suite("Reading Retry-After", .onOwnThreads)
struct RetryAfterTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT.
  private let now: Int64 = 784_111_777_000

  @Test("seconds are parsed, up to one day")
  func seconds() {
    #expect(RetryAfter.milliseconds("0", at: now) == 0)
    #expect(RetryAfter.milliseconds("120", at: now) == 120_000)
    #expect(RetryAfter.milliseconds("999999999", at: now) == 86_400_000)
  }

  @Test("a date is the time until then, up to one day, and none if it has passed")
  func dates() {
    #expect(RetryAfter.milliseconds("Sun, 06 Nov 1994 08:51:37 GMT", at: now) == 120_000)
    #expect(RetryAfter.milliseconds("Sun, 06 Nov 1994 08:49:38 GMT", at: now + 400) == 600)
    #expect(RetryAfter.milliseconds("Sunday, 06-Nov-94 08:49:47 GMT", at: now) == 10_000)
    #expect(RetryAfter.milliseconds("Sun, 06 Nov 1994 08:49:36 GMT", at: now) == 0)
    #expect(RetryAfter.milliseconds("Fri, 31 Dec 9999 23:59:59 GMT", at: now) == 86_400_000)
    #expect(RetryAfter.milliseconds("Sat, 01 Jan 0000 00:00:00 GMT", at: now) == 0)
  }

  @Test("nothing else is accepted")
  func refusals() {
    let refused = ["", "-1", "1.5", "+3", "9999999999", "soon", "Fri, 31 Dec 1999 23:59:59"]
    for text in refused {
      #expect(RetryAfter.milliseconds(text, at: now) == nil, "\(text)")
    }
  }
}
