import TestSupport
import Testing

@testable import Channels

@Suite("Times of notices")
struct NoticePacerTests {
  @Test("without a change no notice is due")
  func isSilent() {
    var notices = NoticePacer(patience: 800)
    #expect(notices.due == nil)
    notices.noteChange(at: 100)
    notices.noteSent(at: 900)
    #expect(notices.due == nil)
  }

  @Test("later changes do not delay the notice")
  func keepsTheFirst() {
    var notices = NoticePacer(patience: 800)
    notices.noteChange(at: 100)
    let due = notices.due
    notices.noteChange(at: 700)
    #expect(notices.due == due)
  }

  @Test(
    "a notice is sent within a second of the first change, and a second after the last notice",
    arguments: UInt64(1)...20)
  func keepsItsTimes(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var notices = NoticePacer(patience: 800)
    var now: Int64 = 0
    var last: Int64?
    for _ in 0..<200 {
      now += Int64.random(in: 0...2500, using: &generator)
      notices.noteChange(at: now)
      let due = try #require(notices.due)
      #expect(due >= now && due <= now + 1000)
      if let last { #expect(due >= last + 1000) }
      notices.noteSent(at: due)
      (now, last) = (due, due)
    }
  }

  @Test("without patience the first notice is sent at once, and the next a second later")
  func impatient() {
    var notices = NoticePacer()
    notices.noteChange(at: 100)
    #expect(notices.due == 100)
    notices.noteSent(at: 100)
    notices.noteChange(at: 300)
    #expect(notices.due == 1100)
    notices.forgetChanges()
    #expect(notices.due == nil)
    notices.noteChange(at: 5_000)
    #expect(notices.due == 5_000)
  }
}
