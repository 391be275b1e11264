import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite(.onOwnThreads)
struct RequestPermitsTests {
  @Test
  func `No more work than permits is under way, and all of it in order`() {
    let permits = RequestPermits(count: 2)
    let begun = Mutex<[Int]>([])
    for number in 0..<5 { permits.acquire { begun.withLock { $0.append(number) } } }
    #expect(begun.withLock { $0 } == [0, 1])
    permits.release()
    #expect(begun.withLock { $0 } == [0, 1, 2])
    for _ in 0..<4 { permits.release() }
    #expect(begun.withLock { $0 } == [0, 1, 2, 3, 4])
    permits.acquire { begun.withLock { $0.append(5) } }
    #expect(begun.withLock { $0.last } == 5)
  }

  @Test
  func `Much work that fails at once takes no stack`() {
    let permits = RequestPermits(count: 1)
    let count = Mutex(0)
    permits.acquire {}
    for _ in 0..<200_000 {
      permits.acquire {
        count.withLock { $0 += 1 }
        permits.release()
      }
    }
    permits.release()
    #expect(count.withLock { $0 } == 200_000)
  }
}
