import Basics
import LinkPreview
import TestSupport
import Testing
import Unfurler

@testable import Gateway

@Suite("Preview pictures being made")
struct PictureFlightsTests {
  private let start = ContinuousClock.now

  private func flights(
    active: Int = 8, activeEach: Int = 3, waiting: Int = 100, waitingEach: Int = 50
  ) -> PictureFlights<Int> {
    PictureFlights(
      active: active, activePerRequester: activeEach, waiting: waiting,
      waitingPerRequester: waitingEach)
  }

  private func order(
    _ number: Int, _ requester: PreviewRequester = .user("ann"), within seconds: Int = 20
  ) throws -> PictureOrder {
    let text = "https://a.example/\(number)"
    return PictureOrder(
      name: try #require(PictureName(ofURL: text, key: [7])),
      url: try #require(WebURL(text, relativeTo: nil)), requester: requester,
      deadline: start.advanced(by: .seconds(seconds)))
  }

  private func next(
    in flights: inout PictureFlights<Int>, at now: ContinuousClock.Instant
  ) throws -> PictureOrder {
    let order = flights.start(at: now)
    return try #require(order)
  }

  @Test("a picture requested several times is made once, and all requests are answered")
  func shares() throws {
    var flights = flights()
    #expect(try flights.add(order(1), 10) == .accepted)
    #expect(try flights.add(order(1, .visitor("v4 1")), 11) == .accepted)
    let begun = try next(in: &flights, at: start)
    #expect(try flights.add(order(1, .operation), 12) == .accepted)
    #expect(flights.start(at: start) == nil)
    #expect(flights.finish(begun, after: 1) == [10, 11, 12])
    #expect(flights.start(at: start) == nil)
  }

  @Test("a user with many requests gets three slots, and only that user's others wait")
  func turns() throws {
    var flights = flights()
    for number in 0..<20 {
      #expect(try flights.add(order(number, .user("hog")), number) == .accepted)
    }
    var begun: [PictureOrder] = []
    while let next = flights.start(at: start) { begun.append(next) }
    #expect(begun.count == 3)
    #expect(try flights.add(order(100, .visitor("v4 1")), 100) == .accepted)
    #expect(flights.start(at: start)?.requester == .visitor("v4 1"))
  }

  @Test("a picture queued behind another user's many is made first for a second requester")
  func secondLine() throws {
    var flights = flights(active: 1)
    for number in 0..<20 { _ = try flights.add(order(number, .user("hog")), number) }
    let first = try next(in: &flights, at: start)
    _ = try flights.add(order(19, .user("ann")), 99)
    _ = flights.finish(first, after: 1_000)
    let next = try next(in: &flights, at: start)
    #expect(try next.name == order(19).name && next.requester == .user("ann"))
    #expect(flights.finish(next, after: 1) == [19, 99])
    var left = 0
    while let order = flights.start(at: start) {
      left += 1
      #expect(flights.finish(order, after: 1).count == 1)
    }
    #expect(left == 18)
  }

  @Test("each queue is bounded, and so is the total of all queues")
  func bounds() throws {
    var flights = flights(waiting: 3, waitingEach: 2)
    #expect(try flights.add(order(1), 1) == .accepted)
    #expect(try flights.add(order(2), 2) == .accepted)
    #expect(try flights.add(order(3), 3) == .principalFull)
    #expect(try flights.add(order(4, .user("bob")), 4) == .accepted)
    #expect(try flights.add(order(5, .user("cid")), 5) == .full)
    // One that waits already takes no more room.
    #expect(try flights.add(order(1, .user("cid")), 6) == .accepted)
  }

  @Test("one requester's timeout does not affect another")
  func deadlines() throws {
    var flights = flights()
    _ = try flights.add(order(1, .user("hasty"), within: 1), 1)
    _ = try flights.add(order(1, .user("ann"), within: 9), 2)
    let late = start.advanced(by: .seconds(2))
    let begun = try next(in: &flights, at: late)
    #expect(begun.requester == .user("ann"))
    #expect(flights.finish(begun, after: 1) == [1, 2])
    _ = try flights.add(order(2, within: 1), 3)
    let over = try next(in: &flights, at: late)
    #expect(over.deadline < late)
    #expect(flights.finish(over, after: 0) == [3])
  }

  @Test(
    "in any history every request is answered once, and the limits hold", arguments: UInt64(1)...30)
  func history(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var flights = flights(active: 4, activeEach: 2, waiting: 12, waitingEach: 6)
    var active: [PictureOrder] = []
    var (waiting, answered) = (Set<Int>(), Set<Int>())
    func end(_ index: Int) {
      for waiter in flights.finish(active.remove(at: index), after: 1) {
        #expect(answered.insert(waiter).inserted, "seed \(seed)")
      }
    }
    for step in 0..<600 {
      if Int.random(in: 0..<3, using: &random) > 0 {
        let user = "user\(Int.random(in: 0..<4, using: &random))"
        let number = Int.random(in: 0..<10, using: &random)
        if try flights.add(order(number, .user(user)), step) == .accepted { waiting.insert(step) }
      } else if !active.isEmpty {
        end(Int.random(in: 0..<active.count, using: &random))
      }
      while let next = flights.start(at: start) { active.append(next) }
      #expect(active.count <= 4, "seed \(seed)")
      #expect(Set(active.map(\.name)).count == active.count, "seed \(seed)")
      let most = Dictionary(grouping: active, by: \.requester).values.map(\.count).max() ?? 0
      #expect(most <= 2, "seed \(seed)")
    }
    while !active.isEmpty {
      end(0)
      while let next = flights.start(at: start) { active.append(next) }
    }
    #expect(answered == waiting, "seed \(seed)")
  }
}
