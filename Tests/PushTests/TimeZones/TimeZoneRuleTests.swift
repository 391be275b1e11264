import Testing

@testable import Push

@Suite("Rules of time zones")
struct TimeZoneRuleTests {
  /// A rule, a time in Unix seconds and the offset that `date` of the GNU system prints for both.
  struct Vector: Sendable, CustomTestStringConvertible {
    let rule: String
    let time: Int64
    let offset: Int

    var testDescription: String { "\(rule) at \(time)" }
  }

  static let vectors = [
    // Berlin: 2026-03-29 and 2026-10-25, 01:00 UTC.
    ("CET-1CEST,M3.5.0,M10.5.0/3", 1_774_745_999, 3_600),
    ("CET-1CEST,M3.5.0,M10.5.0/3", 1_774_746_000, 7_200),
    ("CET-1CEST,M3.5.0,M10.5.0/3", 1_792_889_999, 7_200),
    ("CET-1CEST,M3.5.0,M10.5.0/3", 1_792_890_000, 3_600),
    // New York: 2026-03-08 07:00 and 2026-11-01 06:00 UTC.
    ("EST5EDT,M3.2.0,M11.1.0", 1_772_953_199, -18_000),
    ("EST5EDT,M3.2.0,M11.1.0", 1_772_953_200, -14_400),
    ("EST5EDT,M3.2.0,M11.1.0", 1_793_512_799, -14_400),
    ("EST5EDT,M3.2.0,M11.1.0", 1_793_512_800, -18_000),
    // Sydney, whose summer extends over the turn of the year: 2026-04-04 and 2026-10-03, 16:00 UTC.
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", 1_767_225_600, 39_600),
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", 1_775_318_399, 39_600),
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", 1_775_318_400, 36_000),
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", 1_791_043_199, 36_000),
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", 1_791_043_200, 39_600),
    // Dublin, whose winter is the exception.
    ("IST-1GMT0,M10.5.0,M3.5.0/1", 1_767_225_600, 0),
    ("IST-1GMT0,M10.5.0,M3.5.0/1", 1_782_864_000, 3_600),
    // Nuuk, whose change is on the evening before the last Sunday.
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 1_774_745_999, -7_200),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 1_774_746_000, -3_600),
    // Lord Howe, whose summer is half an hour.
    ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 1_767_225_600, 39_600),
    ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 1_782_864_000, 37_800),
    // Summer time all year, as RFC 8536 §3.3.1 writes it.
    ("XXX3EDT4,0/0,J365/23", 1_767_225_600, -14_400),
    ("XXX3EDT4,0/0,J365/23", 1_767_240_000, -14_400),
    ("XXX3EDT4,0/0,J365/23", 1_782_864_000, -14_400),
    // Days with and without the leap day: 2028-03-01 00:00.
    ("AAA0BBB,J60/0,J300", 1_835_481_599, 0),
    ("AAA0BBB,J60/0,J300", 1_835_481_600, 3_600),
    ("AAA0BBB,60/0,J300", 1_835_481_599, 0),
    ("AAA0BBB,60/0,J300", 1_835_481_600, 3_600),
    ("<-03>3", 0, -10_800), ("UTC0", 1_767_225_600, 0), ("<+0545>-5:45", 0, 20_700),
  ].map { Vector(rule: $0.0, time: $0.1, offset: $0.2) }

  @Test("offsets before and after the changes", arguments: vectors)
  func offset(vector: Vector) throws {
    let rule = try #require(TimeZoneRule(Array(vector.rule.utf8)[...]))
    #expect(rule.offset(at: vector.time) == vector.offset)
  }

  @Test(
    "malformed rules",
    arguments: [
      "", "C", "CE1", "CET", "CET-", "CET-25", "CET-1:60", "CET-1:1:60", "CET-1:", "CET-1CEST",
      "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,", "CET-1CEST,M0.5.0,M10.5.0",
      "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.0.0,M10.5.0",
      "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M3.5,M10.5.0", "CET-1CEST,J0,J300",
      "CET-1CEST,J366,J300", "CET-1CEST,366,1", "CET-1CEST,1/168,2", "CET-1CEST,1/-168,2",
      "CET-1CEST,M3.5.0,M10.5.0/3x", "CET-1CEST,M3.5.0,M10.5.0 ", " CET-1", "<CET-1", "<>-1",
      "<A>1",
      "CET--1", "CET1000", "CET-99999999999999999999", ":Europe/Berlin",
      String(repeating: "A", count: 200) + "1",
    ])
  func malformed(text: String) {
    #expect(TimeZoneRule(Array(text.utf8)[...]) == nil)
  }

  @Test(
    "the first and the last years do not trap", arguments: [Int64.min, -1 << 40, 1 << 40, .max])
  func farTimes(time: Int64) throws {
    let rule = try #require(TimeZoneRule(Array("CET-1CEST,M3.5.0,M10.5.0/3".utf8)[...]))
    #expect([3_600, 7_200].contains(rule.offset(at: time)))
  }
}
