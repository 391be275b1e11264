import Testing

@testable import Webhooks

@Suite("Events of lanes that move")
struct TakenEventsTests {
  @Test("accepted events are remembered until a later reading has ended")
  func taken() {
    var taken = TakenEvents()
    let path = DeliveryPath(receiver: 0, channelURL: "lobby")
    taken.didTake(path, through: 4)
    #expect(taken.isPending(path))
    taken.beginReading()
    taken.didNote(path, through: 4)
    // The reading may have begun before the store noted it.
    #expect(taken[path] == 4)
    #expect(!taken.isPending(path))
    taken.endReading()
    #expect(taken[path] == nil)
    taken.didTake(path, through: 9)
    taken.didNote(path, through: 4)
    #expect(taken[path] == 9)
    taken.didNote(path, through: 9)
    #expect(taken[path] == nil)
  }

  @Test("withdrawn events are not posted, and can be added again")
  func withdrawal() {
    var schedule = DeliverySchedule(receivers: 1, concurrency: 2)
    let (lobby, den) = (
      DeliveryPath(receiver: 0, channelURL: "lobby"), DeliveryPath(receiver: 0, channelURL: "den")
    )
    schedule.add(lobby, after: 0, through: 5)
    schedule.add(den, after: 0, through: 6)
    #expect(schedule.next(at: 0)?.path == lobby)
    schedule.withdraw { _ in true }
    #expect(schedule.next(at: 0) == nil)
    #expect(schedule.inFlight == [lobby])
    schedule.didDeliver(lobby, through: 3)
    #expect(schedule.pathCount == 0)
    schedule.add(den, after: 4, through: 6)
    #expect(schedule.next(at: 0) == Turn(path: den, after: 4, through: 6, failures: 0))
    schedule.withdraw { $0 == "den" }
    schedule.add(den, after: 5, through: 7)
    schedule.didFail(den, at: 0, random: 0)
    #expect(schedule.next(at: 60_000) == Turn(path: den, after: 5, through: 7, failures: 1))
    schedule.withdraw { $0 == "den" }
    schedule.didFail(den, at: 60_000, random: 0)
    #expect(schedule.pathCount == 0)
    #expect(schedule.nextAttempt == nil)
  }
}
