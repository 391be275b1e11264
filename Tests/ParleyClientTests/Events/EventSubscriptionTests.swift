import Testing

@testable import ParleyClient

@Suite("A consumer of events")
struct EventSubscriptionTests {
  @Test("receives the events from before and after its first request")
  func order() async {
    let subscription = EventSubscription<Int>(limit: 10) { -$0 }
    subscription.push(1)
    #expect(await subscription.next() == 1)
    async let waiting = subscription.next()
    subscription.push(2)
    #expect(await waiting == 2)
  }

  @Test("ends after the remaining events")
  func end() async {
    let subscription = EventSubscription<Int>(limit: 10) { -$0 }
    subscription.push(1)
    subscription.end()
    subscription.push(2)
    #expect(await subscription.next() == 1)
    #expect(await subscription.next() == nil)
  }

  @Test("stops waiting when its task is cancelled, and loses no event")
  func cancellation() async {
    let subscription = EventSubscription<Int>(limit: 10) { -$0 }
    let task = Task { await subscription.next() }
    task.cancel()
    #expect(await task.value == nil)
    subscription.push(1)
    #expect(await subscription.next() == 1)
  }

  @Test("is independent of others, and may end at any time")
  func independence() async {
    let streams = EventStreams(limit: 2)
    let slow = streams.events()
    var quick = streams.events().makeAsyncIterator()
    for _ in 0..<3 {
      streams.push(.connection(.connected))
      guard case .connection(.connected) = await quick.next() else {
        Issue.record("the quick one is given each event")
        return
      }
    }
    var iterator = slow.makeAsyncIterator()
    guard case .dropped(count: 1) = await iterator.next() else {
      Issue.record("the slow one is told what it missed")
      return
    }
    streams.end()
    var rest = 0
    while await iterator.next() != nil { rest += 1 }
    #expect(rest == 2)
    var late = streams.events().makeAsyncIterator()
    #expect(await late.next() == nil)
  }
}
