// sources: Sources/Unfurler/Reports/Freshness.swift
import Basics
import Glibc

#if canImport(Unfurler)
  @testable import Unfurler
#endif

/// Reads any text as dates and as the fields that say how long a response may be kept.
///
/// Dates that are written read back; they are those of the C library; no lifetime is negative or
/// longer than the longest.
enum HTTPFreshnessHarness: Harness {
  static func run(_ input: [UInt8]) {
    var source = ByteSource(input)
    checkDate(source.int64())
    let now = Int64(source.number(below: 65_536)) * 65_536
    let lines = String(decoding: source.rest(), as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
    for line in lines.prefix(4) {
      if let date = HTTPDate(line) {
        // The years 0 to 9999, with a leap second at their end.
        precondition((-62_167_219_200...253_402_300_800).contains(date.seconds))
      }
      let control = CacheControl([line])
      precondition(control.lifetime.map { (0...CacheControl.longestLifetime).contains($0) } ?? true)
    }
    let fields = ResponseFreshness(
      cacheControl: Array(lines.prefix(1)), age: Array(lines.dropFirst().prefix(1)),
      date: Array(lines.dropFirst(2).prefix(1)), expires: Array(lines.dropFirst(3).prefix(1)))
    if case .seconds(let seconds) = fields.freshness(at: now) {
      precondition((0...CacheControl.longestLifetime).contains(seconds))
    }
  }

  /// A time of the years 1970 to 9999, written in two of the notations.
  private static func checkDate(_ choice: Int64) {
    let seconds = Int(choice.magnitude % 253_402_300_800)
    var (time, parts) = (time_t(seconds), tm())
    gmtime_r(&time, &parts)
    for format in ["%a, %d %b %Y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"] {
      var text = [CChar](repeating: 0, count: 64)
      let length = strftime(&text, text.count, format, &parts)
      let written = String(decoding: text[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      precondition(HTTPDate(written)?.seconds == Int64(seconds), "another time than was written")
      precondition(!format.hasSuffix("GMT") || HTTPDate(seconds: Int64(seconds)).text == written)
    }
  }
}
