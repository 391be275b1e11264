import LinkPreview
import Testing

@testable import Unfurler

@Suite("Turns of hosts")
struct HostTurnsTests {
  private func fetch(_ id: UInt64, _ host: String) throws -> Fetch {
    Fetch(
      id: id, url: try #require(WebURL("http://\(host)/\(id)")), now: .now, timeout: .seconds(1),
      completion: { _ in })
  }

  private func startAll(_ queue: inout HostTurns<Fetch>) -> [UInt64] {
    var ids: [UInt64] = []
    while let fetch = queue.start() { ids.append(fetch.id) }
    return ids
  }

  @Test("hosts take turns, and each has only so many transfers")
  func turns() throws {
    var queue = HostTurns<Fetch>(maximumActive: 5, maximumActivePerHost: 2)
    for id in 1...4 { queue.append(try fetch(UInt64(id), "a")) }
    queue.append(try fetch(10, "b"))
    queue.append(try fetch(11, "c"))
    #expect(startAll(&queue) == [1, 10, 11, 2])
    #expect(queue.waitingCount == 2)
    queue.finish("a")
    #expect(startAll(&queue) == [3])
    queue.append(try fetch(20, "d"))
    queue.append(try fetch(21, "e"))
    #expect(startAll(&queue) == [20])
    queue.finish("b")
    queue.finish("c")
    #expect(startAll(&queue) == [21])
    #expect(queue.activeCount == 4)
  }

  @Test("what is taken out does not start")
  func removal() throws {
    var queue = HostTurns<Fetch>(maximumActive: 10, maximumActivePerHost: 1)
    for id in 1...3 { queue.append(try fetch(UInt64(id), "a")) }
    queue.append(try fetch(4, "b"))
    #expect(queue.removeWaiting { $0.id == 1 || $0.id == 4 }.map(\.id).sorted() == [1, 4])
    #expect(startAll(&queue) == [2])
    queue.finish("a")
    #expect(startAll(&queue) == [3])
    queue.finish("a")
    #expect(queue.activeCount == 0 && queue.waitingCount == 0)
    queue.finish("a")
    #expect(queue.activeCount == 0)
  }

  @Test("a fetch that is called off does not start, and the others keep their order")
  func calledOff() throws {
    var queue = HostTurns<Fetch>(maximumActive: 1, maximumActivePerHost: 1)
    for id in 1...300 { queue.append(try fetch(UInt64(id), "a")) }
    for id in 1...298 where id != 7 { #expect(queue.removeWaiting(UInt64(id))?.id == UInt64(id)) }
    #expect(queue.removeWaiting(1) == nil)
    var started: [UInt64] = []
    while let fetch = queue.start() {
      started.append(fetch.id)
      queue.finish(fetch.hostKey)
    }
    #expect(started == [7, 299, 300])
    #expect(queue.waitingCount == 0 && queue.activeCount == 0)
  }

  @Test("a long queue of many hosts is worked off whole")
  func long() throws {
    var queue = HostTurns<Fetch>(maximumActive: 8, maximumActivePerHost: 2)
    for id in 0..<3_000 { queue.append(try fetch(UInt64(id), "h\(id % 7)")) }
    var started: Set<UInt64> = []
    var active: [String] = []
    while true {
      while let fetch = queue.start() {
        started.insert(fetch.id)
        active.append(fetch.hostKey)
      }
      guard let host = active.popLast() else { break }
      queue.finish(host)
    }
    #expect(started.count == 3_000)
    #expect(queue.waitingCount == 0 && queue.activeCount == 0)
  }
}
