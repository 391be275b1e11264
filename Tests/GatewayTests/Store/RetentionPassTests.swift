@testable import Store
import Testing

@testable import Gateway

@Suite("A pass that removes messages past their retention")
struct RetentionPassTests {
  private func channel(_ id: Int64) -> ExpiringChannel {
    ExpiringChannel(id, lifetime: 1, horizon: 5)
  }

  @Test("works channel by channel and page by page, each until none is left")
  func order() {
    var pass = RetentionPass(over: .all)
    #expect(pass.step == .find(after: 0))
    pass.didFind(ExpiryQuery.Page(channels: [channel(3), channel(7)], next: 9))
    #expect(pass.step == .remove(from: channel(3)))
    pass.didRemove(300, of: 300)
    #expect(pass.step == .remove(from: channel(3)))
    pass.didRemove(0, of: 300)
    #expect(pass.step == .remove(from: channel(7)))
    pass.didRemove(20, of: 300)
    #expect(pass.step == .find(after: 9))
    pass.didFind(ExpiryQuery.Page(channels: [], next: 19))
    #expect(pass.step == .find(after: 19))
    pass.didFind(ExpiryQuery.Page(channels: [channel(20)], next: nil))
    pass.didRemove(1, of: 300)
    #expect(pass.step == .end)
    #expect(pass.removedCount == 321 && pass.isComplete)
  }

  @Test("leaves the rest to the next pass after a million messages")
  func bound() {
    var pass = RetentionPass(over: .all)
    pass.didFind(ExpiryQuery.Page(channels: [channel(1)], next: nil))
    var count = 0
    while pass.step == .remove(from: channel(1)) {
      pass.didRemove(300, of: 300)
      count += 300
    }
    #expect(pass.step == .end && !pass.isComplete)
    #expect((1_000_000..<1_000_300).contains(count) && pass.removedCount == count)
  }

  @Test("leaves a channel that must wait to a later pass")
  func skips() {
    var pass = RetentionPass(over: .withOwnTime)
    pass.didFind(ExpiryQuery.Page(channels: [channel(1), channel(2)], next: nil))
    pass.skip()
    #expect(pass.step == .remove(from: channel(2)))
  }
}
