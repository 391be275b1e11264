import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Reactor

@Suite("Thread", .onOwnThreads)
struct ThreadTests {
  @Test("joining waits for the end of the function; joining again returns at once")
  func joins() throws {
    let hasRun = Atomic(false)
    let thread = try Reactor.Thread(name: "a-name-longer-than-fifteen") {
      hasRun.store(true, ordering: .releasing)
    }
    thread.join()
    let observed = hasRun.load(ordering: .acquiring)
    #expect(observed)
    thread.join()
  }

  @Test("a background thread has a lower priority, and its creator does not")
  func priorities() throws {
    let before = nice(0)
    for priority in [Reactor.Thread.Priority.normal, .background] {
      let seen = Atomic<Int32>(-1)
      let thread = try Reactor.Thread(name: "weighed", priority: priority) {
        seen.store(nice(0), ordering: .releasing)
      }
      thread.join()
      let niceness = seen.load(ordering: .acquiring)
      #expect(niceness == max(before, priority.rawValue))
    }
    #expect(nice(0) == before)
  }
}
