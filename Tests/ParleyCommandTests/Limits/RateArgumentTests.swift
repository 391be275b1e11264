import Testing

@testable import parley

@Suite("A limit on the command line")
struct RateArgumentTests {
  @Test(
    "is a number of messages in a window, or off",
    arguments: [
      ("5/1000", 5, 1000), ("0/0", 0, 0), ("off", 0, 1000), ("3/1s", 3, 1000), ("3/250ms", 3, 250),
      ("60/1m", 60, 60_000), ("9/1h", 9, 3_600_000), ("9/1d", 9, 86_400_000),
    ])
  func rates(text: String, messages: Int64, window: Int64) {
    let rate = RateArgument(argument: text)
    #expect(rate?.messages == messages)
    #expect(rate?.windowMilliseconds == window)
  }

  @Test(
    "is refused in any other form",
    arguments: [
      "", "5", "5/", "/5", "-1/5", "5/5/5", "99999999999999999999/1", "5/s", "5/-1s", "5/1w",
      "5/9223372036854775807h",
    ])
  func refused(text: String) {
    #expect(RateArgument(argument: text) == nil)
  }
}
