import Synchronization
import Testing

@testable import Reactor

@Suite("Thread")
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
}
