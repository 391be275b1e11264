import TestSupport
import Testing

@testable import Channels

@Suite("Throttle notices")
struct ThrottleNoticesTests {
  @Test("without withheld messages no notice is due")
  func isSilent() {
    var notices = ThrottleNotices()
    #expect(notices.due == nil)
    notices.noteWithheld(at: 100)
    notices.noteTold(at: 900)
    #expect(notices.due == nil)
  }

  @Test("later messages do not delay the notice")
  func keepsTheFirst() {
    var notices = ThrottleNotices()
    notices.noteWithheld(at: 100)
    let due = notices.due
    notices.noteWithheld(at: 700)
    #expect(notices.due == due)
  }

  @Test(
    "a notice is sent within a second of the first message, and a second after the last notice",
    arguments: UInt64(1)...20)
  func keepsItsTimes(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var notices = ThrottleNotices()
    var now: Int64 = 0
    var last: Int64?
    for _ in 0..<200 {
      now += Int64.random(in: 0...2500, using: &generator)
      notices.noteWithheld(at: now)
      let due = try #require(notices.due)
      #expect(due >= now && due <= now + 1000)
      if let last { #expect(due >= last + 1000) }
      notices.noteTold(at: due)
      (now, last) = (due, due)
    }
  }
}
