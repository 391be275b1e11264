import Testing

@testable import parley

@Suite("A time on the command line")
struct TimeArgumentTests {
  @Test(
    "is a number of seconds, or a number with a unit",
    arguments: [
      ("0", 0), ("10", 10_000), ("500ms", 500), ("30s", 30_000), ("10m", 600_000),
      ("2h", 7_200_000), ("7d", 604_800_000), ("2147483647", 2_147_483_647_000),
    ])
  func times(text: String, milliseconds: Int64) {
    #expect(TimeArgument(argument: text)?.milliseconds == milliseconds)
  }

  @Test(
    "is refused in any other form",
    arguments: [
      "", "s", "-1", "-1s", "1.5h", "1 h", "1w", "soon", "2147483648", "9223372036854775807d",
    ])
  func refused(text: String) {
    #expect(TimeArgument(argument: text) == nil)
  }

  @Test("is printed with a unit")
  func shown() {
    #expect(TimeArgument(seconds: 10).defaultValueDescription == "10s")
    #expect(TimeArgument(argument: "1500ms")?.defaultValueDescription == "1500ms")
  }

  @Test(
    "for a ban or mute is in whole seconds, or unlimited",
    arguments: [
      ("-1", -1), ("600", 600), ("10m", 600), ("1d", 86_400), ("2000ms", 2), ("500ms", nil),
      ("-2", nil), ("", nil),
    ] as [(String, Int64?)])
  func restrictions(text: String, seconds: Int64?) {
    #expect(RestrictionDuration(argument: text)?.seconds == seconds)
  }
}
