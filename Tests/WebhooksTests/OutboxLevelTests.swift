@testable import Store
import Testing

@testable import Webhooks

@Suite("The number of events waiting for webhooks")
struct OutboxLevelTests {
  @Test("the oldest is the first one added, until a removal names another")
  func oldest() {
    var level = OutboxLevel()
    #expect(level.oldest == nil)
    level.add(at: 5)
    level.add(at: 9)
    #expect(level.count == 2)
    #expect(level.oldest == 5)
    level.remove(OutboxRemoval(count: 1, oldest: 9))
    #expect(level.oldest == 9)
    level.remove(OutboxRemoval(count: 1, oldest: nil))
    #expect(level.count == 0)
    #expect(level.oldest == nil)
  }

  @Test("an event added in the transaction of a removal becomes the oldest")
  func sameTransaction() {
    var level = OutboxLevel(count: 1, oldest: 3)
    level.add(at: 8)
    level.remove(OutboxRemoval(count: 1, oldest: nil))
    #expect(level.count == 1)
    #expect(level.oldest == 8)
  }

  @Test("the backlog is relieved when a tenth of its capacity is free")
  func relief() {
    #expect(!OutboxLevel(count: 91, oldest: 1).isRelieved(limit: 100))
    #expect(OutboxLevel(count: 90, oldest: 1).isRelieved(limit: 100))
  }
}
