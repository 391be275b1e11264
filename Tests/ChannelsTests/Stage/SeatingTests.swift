import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("Searches of a group's connections")
struct SeatingTests {
  private var seating = Seating()
  private let session = SessionAddress.sample(1)

  private func event(_ seq: Int64) -> StageInput {
    .apply(
      ChannelEvent(payload: [], subject: .announcement, seq: seq, timestamp: 0, author: nil))
  }

  /// Which of the inputs are held.
  private mutating func hold(_ inputs: [StageInput]) -> [Bool] { inputs.map { seating.hold($0) } }

  private func seqs(_ inputs: [StageInput]) -> [Int64] {
    inputs.map { input in if case .apply(let event) = input { event.seq } else { -1 } }
  }

  @Test("inputs are held while a search is open, in their order")
  mutating func holds() {
    let early = hold([event(1)])
    #expect(early == [false] && seating.isEmpty)
    seating.begin()
    let later = hold([event(2), event(3)])
    #expect(later == [true, true] && seating.isWaiting)
    seating.end()
    #expect(!seating.isWaiting && !seating.isEmpty)
    let held = seating.takeHeld()
    #expect(seqs(held) == [2, 3] && seating.isEmpty)
  }

  @Test("nested searches end with the last")
  mutating func nested() {
    for _ in 0..<3 { seating.begin() }
    for _ in 0..<2 {
      seating.end()
      let held = hold([event(1)])
      #expect(held == [true] && seating.isWaiting)
    }
    seating.end()
    let held = hold([event(1)])
    #expect(held == [false] && !seating.isWaiting)
  }

  @Test("what follows a new search is held before what arrives later")
  mutating func holdsAgain() {
    seating.begin()
    for seq in Int64(1)...3 { _ = seating.hold(event(seq)) }
    seating.end()
    let held = seating.takeHeld()
    seating.begin()
    _ = seating.hold(event(4))
    seating.holdFirst(held[1...])
    let all = seating.takeHeld()
    #expect(seqs(all) == [2, 3, 4])
  }

  @Test("events, answers, settings and opened sessions wait; found ones, ends and deadlines do not")
  mutating func kinds() {
    let rig = StageRig()
    let request = rig.request(session, "ann")
    let address = rig.address(session)
    let notice = StageNotice(payload: [], author: nil, mark: .count)
    let seat = Seat(userID: "ann", session: session)
    let channel = Channel(url: "lobby", createdAt: 0)
    let limit = RateLimit(count: 1, windowMilliseconds: 1)
    let start = StageStart(
      channel: channel, channelID: 1, epoch: "", seq: 0, throttleLimit: limit, announced: nil)
    seating.begin()
    let waiting = hold([
      event(1), .record(channel), .answer(address, .empty), .notice(notice), .observe(address),
      .throttle(limit), .seat(seat),
    ])
    #expect(waiting == Array(repeating: true, count: 7))
    let others = hold([
      .enter(request), .refuse(request, .internalError), .recovered(0, .success(nil)),
      .leave(session, userID: "ann"), .unobserve(session), .elsewhere(1), .resume(start), .abandon,
      .seek, .seats([seat]), .disperse, .deadline, .endOfTurn,
    ])
    #expect(others == Array(repeating: false, count: 13))
    #expect(!seating.isEmpty)
  }

  @Test("the event that admits a user is kept until its search has ended")
  mutating func admission() {
    seating.begin(admitting: "ann", with: [1])
    #expect(seating.admission(of: "ann") == [1] && seating.admission(of: "ben") == nil)
    seating.begin()
    seating.end()
    #expect(seating.admission(of: "ann") == [1])
    seating.end()
    #expect(seating.admission(of: "ann") == nil)
  }
}
