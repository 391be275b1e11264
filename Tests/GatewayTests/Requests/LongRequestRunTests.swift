import Store
import Testing

@testable import Gateway

@Suite("The work at long requests")
struct LongRequestRunTests {
  private typealias Run = LongRequestRun

  @Test("steps are recorded one by one, then the ending, then the next request is claimed")
  func course() {
    var run = Run()
    #expect(run.next == .claim && !run.isBusy)
    #expect(run.didClaim(false) == .idle)
    #expect(run.didClaim(true) == .work && run.isBusy)
    #expect(run.didStep(.advanced(position: "5", part: nil, rest: 40)) == .record("5", nil))
    #expect(run.didRecord(true) == .wait(40))
    #expect(run.next == .work)
    #expect(run.didStep(.advanced(position: "9", part: nil, rest: 0)) == .record("9", nil))
    #expect(run.didRecord(true) == .work)
    let ending = LongRequestEnd.Ending.done(fileSize: 3, expiry: 9)
    #expect(run.didStep(.finished(ending)) == .end(ending))
    #expect(run.didEnd(true) == .drop(after: 0))
    #expect(run.next == .claim && !run.isBusy)
  }

  @Test(
    "a request that another server has is forgotten, and so is one after a failure of the store")
  func losses() {
    for (isHeld, wait) in [(false, Run.lookInterval), (nil, Run.failureInterval)] {
      var run = Run()
      _ = run.didClaim(true)
      _ = run.didStep(.advanced(position: "5", part: nil, rest: 0))
      #expect(run.didRecord(isHeld) == .drop(after: wait))
      #expect(run.next == .claim)
    }
    var run = Run()
    _ = run.didClaim(true)
    #expect(run.didStep(.lost) == .drop(after: Run.lookInterval))
    _ = run.didClaim(true)
    #expect(run.didStep(.postponed(reason: "x")) == .drop(after: Run.failureInterval))
  }

  @Test("an ending that could not be recorded is tried again")
  func endings() {
    var run = Run()
    _ = run.didClaim(true)
    let ending = LongRequestEnd.Ending.failed(reason: "full")
    #expect(run.didStep(.failed(reason: "full")) == .end(ending))
    #expect(run.didEnd(nil) == .wait(Run.failureInterval))
    #expect(run.next == .end(ending) && run.isBusy)
    #expect(run.didEnd(false) == .drop(after: 0))
  }

  @Test("work takes a tenth of a reader while others read, and a third of it otherwise")
  func pace() {
    var pace = ReadingPace()
    #expect(pace.pause(after: 8_000_000, queryCount: 7, waiting: 0) == 16_000_000)
    #expect(pace.pause(after: 8_000_000, queryCount: 8, waiting: 0) == 16_000_000)
    #expect(pace.pause(after: 8_000_000, queryCount: 10, waiting: 0) == 72_000_000)
    #expect(pace.pause(after: 8_000_000, queryCount: 11, waiting: 0) == 16_000_000)
    #expect(pace.pause(after: 8_000_000, queryCount: 12, waiting: 1) == 72_000_000)
    #expect(pace.pause(after: 1_000_000_000, queryCount: 13, waiting: 1) == 2_000_000_000)
    #expect(pace.pause(after: .max, queryCount: 14, waiting: 0) == 2_000_000_000)
  }
}
