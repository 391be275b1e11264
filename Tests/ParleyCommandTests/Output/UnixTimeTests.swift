import Testing

@testable import parley

@Suite("Human-readable times and durations")
struct UnixTimeTests {
  @Test("are dates in UTC")
  func dates() {
    #expect(UnixTime.text(1_730_000_000_000).hasPrefix("2024-10-27 03:33:20"))
  }

  @Test(
    "are the two largest units of a duration",
    arguments: [
      (0, "0 s"), (59_999, "59 s"), (61_000, "1 min 1 s"), (90_061_000, "1 d 1 h"),
      (86_400_000, "1 d 0 h"), (-5, "0 s"),
    ] as [(Int64, String)])
  func lengths(milliseconds: Int64, text: String) {
    #expect(Milliseconds.inWords(milliseconds) == text)
  }
}
