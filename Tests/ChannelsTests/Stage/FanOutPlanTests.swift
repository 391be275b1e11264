import Testing

@testable import Channels

@Suite("A fan-out plan")
struct FanOutPlanTests {
  @Test("the share of all contains exactly the plan's events", arguments: [0, 1, 5, 63, 64])
  func holdsAll(count: Int) {
    let share = FanOutPlan.Share.all(of: count)
    #expect(share.count == count)
    for index in 0..<64 { #expect(share.contains(index) == (index < count)) }
  }

  @Test("removing an event from a share removes only that event", arguments: [0, 17, 63])
  func removes(index: Int) {
    var share = FanOutPlan.Share.all(of: FanOutPlan.capacity)
    share.remove(index)
    share.remove(index)
    #expect(share.count == 63)
    #expect(!share.contains(index))
  }
}
