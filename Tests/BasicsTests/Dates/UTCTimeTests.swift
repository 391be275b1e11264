import Testing

@testable import Basics

@Suite("Times in log lines")
struct UTCTimeTests {
  @Test(
    "times are in UTC with milliseconds",
    arguments: [
      (Int64(0), "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (.max, "9999-12-31T23:59:59.999Z"),
      (-1, "1970-01-01T00:00:00.000Z"),
    ])
  func times(milliseconds: Int64, text: String) {
    #expect(UTCTime.format(milliseconds) == text)
  }
}
