import Channels
import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite("The writer", .onOwnThreads)
struct WriterTests {
  @Test("a read among the entries is answered in order")
  func keepsPlaces() async throws {
    let fixture = try await Fixture()
    let order = Mutex<[Int]>([])
    var batch = WriteBatch()
    batch.append(fixture.message(1)) { _ in order.withLock { $0.append(1) } }
    batch.read(.users([])) { _ in order.withLock { $0.append(2) } }
    batch.append(fixture.message(2)) { _ in order.withLock { $0.append(3) } }
    fixture.store.submit(&batch)
    fixture.store.close()
    #expect(order.withLock { $0 } == [1, 2, 3])
  }

  @Test("reads alone are answered without a transaction")
  func needsNoTransaction() async throws {
    let fixture = try await Fixture()
    let before = fixture.store.statistics.batchCount
    let count = Mutex(0)
    var batch = WriteBatch()
    for _ in 0..<3 {
      batch.read(.users([])) { result in
        if case .success = result { count.withLock { $0 += 1 } }
      }
    }
    fixture.store.submit(&batch)
    fixture.store.close()
    #expect(count.withLock { $0 } == 3)
    #expect(fixture.store.statistics.batchCount == before)
  }
}
