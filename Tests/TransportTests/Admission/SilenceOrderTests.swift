import TestSupport
import Testing

@testable import Transport

@Suite("Silence order")
struct SilenceOrderTests {
  @Test("the first connection is the one with the oldest activity, in each pool")
  func order() {
    var order = SilenceOrder()
    order.insert(3, in: .clients, at: 10)
    order.insert(0, in: .clients, at: 20)
    order.insert(7, in: .operations, at: 5)
    #expect(order.first(in: .clients) == 3)
    #expect(order.next(after: 3) == 0)
    #expect(order.oldestTime(in: .clients) == 10)
    #expect(order.first(in: .operations) == 7)
    order.touch(3, in: .clients, at: 30)
    #expect(order.first(in: .clients) == 0)
    order.touch(3, in: .clients, at: 40)
    order.remove(0, from: .clients)
    #expect(order.oldestTime(in: .clients) == 40)
    order.remove(3, from: .clients)
    #expect(order.first(in: .clients) == nil)
    #expect(order.oldestTime(in: .clients) == nil)
    #expect(order.first(in: .operations) == 7)
  }

  @Test("after any sequence it matches a list sorted by time")
  func model() {
    var generator = SeededGenerator(seed: 7)
    var order = SilenceOrder()
    var model: [UInt32] = []
    for now in 0..<4000 as Range<Int64> {
      let slot = UInt32.random(in: 0..<40, using: &generator)
      if let index = model.firstIndex(of: slot) {
        model.remove(at: index)
        if Bool.random(using: &generator) {
          order.touch(slot, in: .clients, at: now)
          model.append(slot)
        } else {
          order.remove(slot, from: .clients)
        }
      } else {
        order.insert(slot, in: .clients, at: now)
        model.append(slot)
      }
      var found: [UInt32] = []
      var next = order.first(in: .clients)
      while let slot = next {
        found.append(slot)
        next = order.next(after: slot)
      }
      #expect(found == model)
    }
  }
}
