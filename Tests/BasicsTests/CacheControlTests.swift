import Testing
import TestSupport

import Basics

@Suite("Cache-Control (RFC 9111 §5.2)")
struct CacheControlTests {
  @Test(
    "the lifetime is that for shared caches, or else the general one",
    arguments: [
      (["max-age=60"], 60), (["public, max-age=60"], 60), (["MAX-AGE=60"], 60),
      (["max-age=60, s-maxage=10"], 10), (["s-maxage=600", "max-age=60"], 600),
      (["max-age=\"60\""], 60), (["max-age = 60"], 60), ([" ,, max-age=60 ,"], 60),
      (["x=\"a, max-age=5\", max-age=60"], 60), (["x=\"\\\", max-age=5\", max-age=60"], 60),
      (["max-age=60, max-age=30"], 30), (["max-age=30", "max-age=60"], 30),
      (["max-age=99999999999999999999"], 2_147_483_648),
      (["max-age=4294967296"], 2_147_483_648), (["max-age=0"], 0),
      (["stale-while-revalidate=9, max-age=7"], 7),
    ] as [([String], Int64)])
  func lifetime(values: [String], lifetime: Int64) {
    let control = CacheControl(values)
    #expect(control.lifetime == lifetime)
    #expect(!control.forbidsReuse)
  }

  @Test(
    "unreadable seconds give no lifetime",
    arguments: ["max-age", "max-age=", "max-age=-1", "max-age=1.5", "max-age=1s", "max-age=\"1"])
  func unreadable(value: String) { #expect(CacheControl([value]).lifetime == 0) }

  @Test("absent directives request nothing", arguments: [[], [""], ["public"], ["x=\"max-age=1"]])
  func nothing(values: [String]) {
    #expect(CacheControl(values).lifetime == nil)
    #expect(!CacheControl(values).forbidsReuse)
  }

  @Test(
    "no-store, no-cache and private forbid reuse",
    arguments: ["no-store", "No-Cache", "private", "max-age=9, no-cache=\"set-cookie\", x"])
  func forbidden(value: String) { #expect(CacheControl([value]).forbidsReuse) }

  @Test("any bytes are parsed safely")
  func garbage() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let count = Int.random(in: 0...80, using: &generator)
      let text = String(decoding: generator.bytes(count), as: UTF8.self)
      let lifetime = CacheControl([text, "max-age=" + text]).lifetime
      #expect((lifetime ?? 0) >= 0, "seed \(seed)")
    }
    let long = String(repeating: "x,", count: 1_000_000)
    #expect(CacheControl([long + "no-store"]).lifetime == nil)
  }
}
