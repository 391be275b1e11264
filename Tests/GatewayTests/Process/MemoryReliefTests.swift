import TestSupport
import Testing

@testable import Gateway

@Suite("Memory relief")
struct MemoryReliefTests {
  private typealias Relief = MemoryRelief<String>

  private func holder(_ name: String, _ byteCount: Int, shard: Int = 0) -> Relief.Holder {
    Relief.Holder(name: name, shard: shard, byteCount: byteCount)
  }

  @Test("the largest of all shards are released first, and no more than needed")
  func choosesLargest() {
    var relief = Relief(excess: 25, shards: 2)
    #expect(relief.add([holder("a", 10), holder("b", 3)]) == nil)
    let victims = relief.add([holder("c", 20, shard: 1), holder("d", 5, shard: 1)])
    #expect(victims?.map(\.name) == ["c", "a"])
    #expect(victims?.map(\.shard) == [1, 0])
  }

  @Test("if all together are not enough, all are released; if there are none, none")
  func takesAll() {
    var relief = Relief(excess: 100, shards: 1)
    #expect(relief.add([holder("a", 10), holder("b", 30)])?.map(\.name) == ["b", "a"])
    var empty = Relief(excess: 1, shards: 1)
    #expect(empty.add([])?.isEmpty == true)
  }

  @Test("the budget covers all shards together, and one relief runs at a time")
  func budget() {
    let budget = MemoryBudget(limit: 100, shards: 2)
    budget.publish(60, of: 0)
    budget.publish(40, of: 1)
    #expect(!budget.isExceeded)
    #expect(budget.beginRelief() == nil)
    budget.publish(50, of: 1)
    #expect(budget.byteCount == 110)
    #expect(budget.beginRelief() == 10)
    #expect(budget.beginRelief() == nil)
    budget.adopt(limit: 110)
    #expect(!budget.isExceeded && budget.limit == 110)
    budget.adopt(limit: 100)
    budget.endRelief()
    #expect(budget.beginRelief() == 10)
    budget.endRelief()
    budget.publish(0, of: 0)
    #expect(!budget.isExceeded)
  }
}
