import LinkPreview
import TestSupport
import Testing

@testable import Unfurler

@Suite("Turns of requesters and sites")
struct FetchTurnsTests {
  private struct Question: TurnRequest {
    let deadline = ContinuousClock.now
    let id: UInt64
    let requester: PreviewRequester
    let siteKey: String
  }

  private typealias Turns = FetchTurns<Question>

  private func question(
    _ id: UInt64, _ site: String, _ requester: PreviewRequester = .operation
  ) -> Question {
    Question(id: id, requester: requester, siteKey: site)
  }

  private func turns(
    _ active: Int, perSite: Int, perUser: Int = 100, waiting: Int = 10_000
  ) -> Turns {
    Turns(
      TurnLimits(
        active: active, activePerSite: perSite, activePerUser: perUser, waiting: waiting))
  }

  private func startAll(_ queue: inout Turns) -> [UInt64] {
    var ids: [UInt64] = []
    while let question = queue.start() { ids.append(question.id) }
    return ids
  }

  @Test("sites take turns, and each has a limited number of transfers")
  func sites() {
    var queue = turns(5, perSite: 2)
    for id in 1...4 { queue.append(question(UInt64(id), "a")) }
    queue.append(question(10, "b"))
    queue.append(question(11, "c"))
    #expect(startAll(&queue) == [1, 10, 11, 2])
    #expect(queue.waitingCount == 2)
    queue.finish(question(0, "a"))
    #expect(startAll(&queue) == [3])
    queue.append(question(20, "d"))
    queue.append(question(21, "e"))
    #expect(startAll(&queue) == [20])
    queue.finish(question(0, "b"))
    queue.finish(question(0, "c"))
    #expect(startAll(&queue) == [21])
    #expect(queue.activeCount == 4)
  }

  @Test("a removed fetch does not start")
  func removal() {
    var queue = turns(10, perSite: 1)
    for id in 1...3 { queue.append(question(UInt64(id), "a")) }
    queue.append(question(4, "b"))
    #expect(queue.removeWaiting { $0.id == 1 || $0.id == 4 }.map(\.id).sorted() == [1, 4])
    #expect(startAll(&queue) == [2])
    queue.finish(question(0, "a"))
    #expect(startAll(&queue) == [3])
    queue.finish(question(0, "a"))
    #expect(queue.activeCount == 0 && queue.waitingCount == 0)
    queue.finish(question(0, "a"))
    #expect(queue.activeCount == 0)
  }

  @Test("a cancelled fetch does not start, and the others keep their order")
  func calledOff() {
    var queue = turns(1, perSite: 1)
    for id in 1...300 { queue.append(question(UInt64(id), "a")) }
    for id in 1...298 where id != 7 { #expect(queue.removeWaiting(UInt64(id))?.id == UInt64(id)) }
    #expect(queue.removeWaiting(1) == nil)
    var started: [UInt64] = []
    while let fetch = queue.start() {
      started.append(fetch.id)
      queue.finish(fetch)
    }
    #expect(started == [7, 299, 300])
    #expect(queue.waitingCount == 0 && queue.activeCount == 0)
  }

  @Test("a long queue of many hosts is processed completely")
  func long() {
    var queue = turns(8, perSite: 2)
    for id in 0..<3_000 { queue.append(question(UInt64(id), "h\(id % 7)")) }
    var started: Set<UInt64> = []
    var active: [Question] = []
    while true {
      while let fetch = queue.start() {
        started.insert(fetch.id)
        active.append(fetch)
      }
      guard let question = active.popLast() else { break }
      queue.finish(question)
    }
    #expect(started.count == 3_000)
    #expect(queue.waitingCount == 0 && queue.activeCount == 0)
  }

  @Test("users take turns however many links each has, and no user takes all places")
  func users() {
    var queue = turns(8, perSite: 8, perUser: 4)
    for id in 1...100 { queue.append(question(UInt64(id), "slow\(id)", .user("flooder"))) }
    #expect(startAll(&queue) == [1, 2, 3, 4])
    queue.append(question(201, "a", .user("jeff")))
    queue.append(question(202, "b", .user("jeff")))
    queue.append(question(203, "a", .user("ann")))
    #expect(startAll(&queue) == [201, 203, 202])
    queue.finish(question(1, "slow1", .user("flooder")))
    #expect(startAll(&queue) == [5])
  }

  @Test("with every place taken by several users, a new user is next")
  func newcomer() {
    var queue = turns(8, perSite: 8, perUser: 4)
    for id in 1...100 {
      queue.append(question(UInt64(id), "slow\(id)", .user("flooder\(id % 4)")))
    }
    let started = startAll(&queue)
    #expect(started.count == 8)
    queue.append(question(500, "a", .user("jeff")))
    var finished = 0
    var isNext = false
    for id in started where !isNext {
      queue.finish(question(id, "slow\(id)", .user("flooder\(id % 4)")))
      finished += 1
      isNext = startAll(&queue).contains(500)
    }
    #expect(finished <= 5)
  }

  @Test("a full site delays only fetches that wait for it, from any user")
  func fullSite() {
    var queue = turns(10, perSite: 1, perUser: 10)
    queue.append(question(1, "full", .user("a")))
    queue.append(question(2, "full", .user("a")))
    queue.append(question(3, "full", .user("b")))
    queue.append(question(4, "free", .user("b")))
    #expect(startAll(&queue) == [1, 4])
    queue.finish(question(1, "full", .user("a")))
    let next = startAll(&queue)
    #expect(next == [2] || next == [3])
    queue.finish(question(0, "full", .user(next == [2] ? "a" : "b")))
    #expect(startAll(&queue).count == 1)
  }

  @Test("a user has a tenth of the waiting room")
  func waitingRoom() {
    var queue = turns(1, perSite: 1, waiting: 20)
    for id in 1...2 { queue.append(question(UInt64(id), "a", .user("flooder"))) }
    #expect(!queue.admits(.user("flooder")))
    #expect(queue.admits(.user("jeff")) && queue.admits(.operation))
    for id in 3...20 { queue.append(question(UInt64(id), "a")) }
    #expect(!queue.admits(.user("jeff")) && !queue.admits(.operation))
    #expect(queue.removeWaiting(1)?.id == 1)
    #expect(queue.admits(.user("flooder")))
  }

  @Test("no place stays empty while a request could take it", arguments: 0..<40)
  func model(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let (active, perSite, perUser) = (
      Int.random(in: 1...6, using: &random), Int.random(in: 1...3, using: &random),
      Int.random(in: 1...4, using: &random)
    )
    var queue = turns(active, perSite: perSite, perUser: perUser)
    var (waiting, running): ([Question], [Question]) = ([], [])
    for id in 0..<600 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0..<2:
        let user = Int.random(in: 0..<4, using: &random)
        let next = question(
          UInt64(id), "s\(Int.random(in: 0..<4, using: &random))",
          user == 0 ? .operation : .user("u\(user)"))
        queue.append(next)
        waiting.append(next)
      case 2:
        if let gone = waiting.randomElement(using: &random) {
          #expect(queue.removeWaiting(gone.id)?.id == gone.id)
          waiting.removeAll { $0.id == gone.id }
        }
      default:
        if let ended = running.randomElement(using: &random) {
          queue.finish(ended)
          running.removeAll { $0.id == ended.id }
        }
      }
      while let next = queue.start() {
        #expect(waiting.contains { $0.id == next.id })
        waiting.removeAll { $0.id == next.id }
        running.append(next)
      }
      #expect(queue.waitingCount == waiting.count && queue.activeCount == running.count)
      let couldStart = waiting.contains { request in
        running.count < active
          && running.count { $0.siteKey == request.siteKey } < perSite
          && (request.requester == .operation
            || running.count { $0.requester == request.requester } < perUser)
      }
      #expect(!couldStart, "seed \(seed)")
      #expect(running.count <= active)
    }
  }
}
