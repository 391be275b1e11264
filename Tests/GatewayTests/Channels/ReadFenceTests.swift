import Testing

@testable import Gateway

@Suite("Reads that wait for the events of writes")
struct ReadFenceTests {
  @Test("a read waits for the writes submitted before it, and for no later one")
  func order() {
    var fence = ReadFence<String>()
    #expect(fence.admit("before all writes") == "before all writes")
    #expect(fence.isIdle)
    fence.writeWasSubmitted()
    #expect(!fence.isIdle)
    fence.writeWasSubmitted()
    #expect(fence.admit("after two") == nil)
    fence.writeWasSubmitted()
    #expect(fence.admit("after three") == nil)
    fence.writeWasAnswered()
    #expect(fence.next() == nil)
    fence.writeWasAnswered()
    #expect(fence.next() == "after two")
    #expect(fence.next() == nil)
    fence.writeWasAnswered()
    #expect(fence.next() == "after three")
    #expect(fence.next() == nil)
    #expect(fence.isIdle)
    #expect(fence.admit("after all") == "after all")
    fence.writeWasSubmitted()
    #expect(fence.admit("held") == nil)
    fence.close()
    #expect(fence.next() == "held")
    #expect(fence.admit("after the end") == "after the end")
  }
}
