import Testing

@testable import LoadGenerator

@Suite("Axis ticks")
struct AxisTicksTests {
  @Test(
    "are multiples of 1, 2 or 5 times a power of ten, and extend beyond the largest value",
    arguments: [
      (10.0, [0.0, 2, 4, 6, 8, 10]), (13, [0, 5, 10, 15]), (0.5, [0, 0.1, 0.2, 0.3, 0.4, 0.5]),
      (200, [0, 50, 100, 150, 200]), (51, [0, 20, 40, 60]), (1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
      (0, [0, 1]), (.infinity, [0, 1]),
    ])
  func decimal(largest: Double, expected: [Double]) {
    let ticks = AxisTicks.decimal(upTo: largest)
    #expect(ticks.values.count == expected.count, "\(ticks.values)")
    for (value, wanted) in zip(ticks.values, expected) { #expect(abs(value - wanted) < 1e-9) }
    #expect(ticks.end == ticks.values.last)
  }

  @Test("for memory are powers of two, so that the labels are whole numbers")
  func bytes() {
    let ticks = AxisTicks.bytes(upTo: 19.1 * 1_048_576)
    #expect(
      ticks.values.map(TickText.bytes) == [
        "0", "4 MiB", "8 MiB", "12 MiB", "16 MiB", "20 MiB",
      ])
  }

  @Test("for connections are whole numbers")
  func whole() {
    #expect(AxisTicks.whole(upTo: 3).values == [0, 1, 2, 3])
    #expect(AxisTicks.whole(upTo: 0).values == [0, 1])
    #expect(AxisTicks.whole(upTo: 2000).values == [0, 500, 1000, 1500, 2000])
  }

  @Test("on a logarithmic axis begin and end at round values around the data")
  func logarithmic() {
    let wide = LogTicks(from: 30_000, upTo: 4e9)
    #expect(wide.begin == 20_000 && wide.end == 5e9)
    #expect(wide.values.map(TickText.time) == ["100 µs", "1 ms", "10 ms", "100 ms", "1 s"])
    let narrow = LogTicks(from: 1_500_000, upTo: 8_000_000)
    #expect(narrow.values.map(TickText.time) == ["1 ms", "2 ms", "5 ms", "10 ms"])
    let single = LogTicks(from: 0, upTo: 0)
    #expect(single.begin > 0 && single.end > single.begin)
  }

  @Test(
    "have labels without meaningless zeros",
    arguments: [
      (TickText.time(0), "0"), (TickText.time(2_500_000), "2.5 ms"), (TickText.time(5e8), "500 ms"),
      (TickText.time(1e9), "1 s"), (TickText.time(200), "200 ns"), (TickText.rate(0), "0"),
      (TickText.rate(1500), "1,500/s"), (TickText.number(0.2), "0.2"),
      (TickText.bytes(512), "512 B"), (TickText.short(1.25), "1.25"),
    ])
  func labels(text: String, expected: String) {
    #expect(text == expected)
  }
}
