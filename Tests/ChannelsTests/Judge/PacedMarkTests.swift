import ParleyProtocol
import TestSupport
import Testing

@testable import Channels

@Suite("The judge: marks beyond the pace of a member")
struct PacedMarkTests {
  private let rig: JudgeRig

  init() throws { rig = try .group() }

  /// Sends messages of a user, a millisecond after each other, and returns their ids.
  private func send(_ count: Int, by author: String = "ann") throws -> [Int64] {
    try (0..<count).map { _ in
      rig.now += 1
      return try #require(try rig.perform(.send("x"), by: author).sent).message.id
    }
  }

  /// Gives marks, and lets the log answer what is asked at once.
  private func begin(_ changes: [OwnChange], by userID: String = "ben") -> [UInt64] {
    let calls = changes.map { rig.begin(.own($0), by: .participant(userID)) }
    rig.answerAll()
    return calls
  }

  /// Lets the time of the next wake-up come.
  private func wake() throws {
    rig.now = try #require(rig.wakeTime)
    rig.handle(.deadline)
    rig.answerAll()
  }

  private func readOrdinals(_ calls: [UInt64]) -> [Int64?] {
    calls.map { rig.answers[$0]?.own?.readOrdinal }
  }

  @Test("three are carried out at once, and the others together, at most a second later")
  func burst() throws {
    let ids = try send(9)
    let start = rig.now
    let calls = begin(ids.map { .markRead(upTo: $0) })
    #expect(readOrdinals(calls) == [1, 2, 3] + Array(repeating: nil, count: 6) && !rig.isIdle)
    while rig.answers[calls[8]] == nil { try wake() }
    #expect(rig.now == start + 1_000)
    #expect(readOrdinals(calls) == [1, 2, 3, 9, 9, 9, 9, 9, 9])
    #expect(rig.isIdle)
    // The window has room for two more.
    #expect(readOrdinals(begin([.markRead(upTo: nil), .markUnread(from: ids[4])])) == [9, 4])
    #expect(readOrdinals(begin([.markUnread(from: ids[0])])) == [nil])
  }

  @Test("only a mark that waits may be passed by later calls of its connection")
  func passed() throws {
    let ids = try send(2)
    func passed() -> Int {
      rig.others.count { if case .pass = $0 { true } else { false } }
    }
    _ = begin(Array(repeating: .markRead(upTo: ids[0]), count: 3))
    #expect(passed() == 0)
    _ = begin([.markRead(upTo: ids[1]), .markUnread(from: ids[1])])
    _ = try rig.own(.prefer(.off), by: "ben")
    #expect(passed() == 2)
    while !rig.isIdle { try wake() }
    #expect(passed() == 2)
  }

  @Test("each connection whose marks became one receives only their answer")
  func joined() throws {
    let ids = try send(2)
    for session in [1, 2, 2, 3] {
      rig.begin(.own(.markRead(upTo: ids[0])), by: .participant("ben", session: session))
    }
    rig.answerAll()
    rig.begin(.own(.markRead(upTo: ids[1])), by: .participant("ben", session: 2))
    rig.begin(.own(.markRead(upTo: ids[0])), by: .participant("ben", session: 3))
    rig.begin(.own(.markRead(upTo: ids[0])), by: .participant("ben", session: 2))
    while !rig.isIdle { try wake() }
    let notices = rig.memberNotices
    #expect(notices.count == 2 && notices.first?.except == [.sample(1)])
    #expect(notices.last?.except == [.sample(3), .sample(2)])
  }

  @Test("the pace of a member is not that of another, of other changes, or of the Platform API")
  func others() throws {
    let ids = try send(4)
    let waiting = begin(Array(repeating: .markRead(upTo: ids[0]), count: 4))
    #expect(readOrdinals(waiting).last == .some(nil))
    #expect(
      readOrdinals(begin(ids.prefix(3).map { .markRead(upTo: $0) }, by: "boss")) == [1, 2, 3])
    #expect(try rig.own(.prefer(.off), by: "ben").readOrdinal == 1)
    let platform = Principal.platform(onBehalfOf: User(id: "ben"))
    for id in ids {
      #expect(try rig.perform(.own(.markRead(upTo: id)), by: platform).own != nil)
    }
    #expect(rig.answers[waiting[3]] == nil)
    while rig.answers[waiting[3]] == nil { try wake() }
    #expect(readOrdinals(waiting) == [1, 1, 1, 4])
  }

  @Test("a mark as unread replaces what waits, and a mark as read after it is carried out too")
  func order() throws {
    let ids = try send(9)
    _ = begin(Array(repeating: .markRead(upTo: ids[8]), count: 3))
    rig.heard = []
    let calls = begin([
      .markRead(upTo: nil), .markUnread(from: ids[6]), .markUnread(from: ids[1]),
      .markRead(upTo: ids[4]), .markRead(upTo: ids[2]),
    ])
    while rig.answers[calls[4]] == nil { try wake() }
    #expect(readOrdinals(calls) == [1, 1, 1, 5, 5])
    #expect(rig.heard.filter { $0 == "group.unread ben" }.count == 2)
    let again = begin([.markRead(upTo: ids[5]), .markUnread(from: ids[0])])
    while rig.answers[again[1]] == nil { try wake() }
    #expect(try rig.own(of: "ben").readOrdinal == 0 && rig.isIdle)
  }

  @Test("a wake-up for a mark does not displace that for typing, and the other way round")
  func wakes() throws {
    _ = try send(1)
    _ = begin(Array(repeating: .markRead(upTo: nil), count: 3))
    rig.now += 400
    let late = begin([.markRead(upTo: nil)])
    _ = try rig.perform(.group(.typing(true)), by: "ann")
    rig.now += 100
    _ = try rig.perform(.group(.typing(true)), by: "boss")
    #expect(rig.wakeTime == rig.now + 500)
    try wake()
    #expect(rig.answers[late[0]] != nil && rig.wakeTime ?? 0 > rig.now)
  }

  @Test(
    "a member who leaves, and the deletion of the group, end the waiting", arguments: [true, false])
  func ends(isLeaving: Bool) throws {
    _ = try send(1)
    let calls = begin(Array(repeating: .markRead(upTo: nil), count: 5))
    if isLeaving {
      _ = try rig.change(.leave, by: "ben")
      #expect(rig.answers[calls[4]] == nil)
      while rig.answers[calls[4]] == nil { try wake() }
      #expect(rig.answers[calls[3]]?.error == .notJoined("lobby"))
    } else {
      _ = try rig.perform(.group(.delete), by: "boss")
      #expect(rig.answers[calls[3]]?.error == .notFound(.channel, "lobby"))
    }
    #expect(calls.allSatisfy { rig.answers[$0] != nil } && rig.isIdle)
  }

  @Test("the end of the server carries marks out at once, and a move has them repeated")
  func endsWaiting() throws {
    _ = try send(1)
    let moved = begin(Array(repeating: .markRead(upTo: nil), count: 5))
    rig.handle(.endWaiting(.move))
    #expect(moved.suffix(2).allSatisfy { rig.answers[$0]?.error?.isMoved == true } && rig.isIdle)
    let drained = begin([.markUnread(from: 1), .markRead(upTo: nil)])
    rig.handle(.endWaiting(.drain))
    rig.answerAll()
    #expect(rig.answers[drained[0]]?.error == .noSuchMessage)
    #expect(readOrdinals(drained)[1] == 1 && rig.isIdle)
  }

  @Test("a failure is the answer to all calls that waited, once")
  func failures() throws {
    let ids = try send(2)
    _ = begin(Array(repeating: .markRead(upTo: ids[0]), count: 3))
    let calls = begin([.markRead(upTo: ids[1]), .markRead(upTo: ids[1] + 1)])
    while rig.answers[calls[1]] == nil { try wake() }
    #expect(calls.allSatisfy { rig.answers[$0]?.error == .noSuchMessage })
    #expect(try rig.own(of: "ben").readOrdinal == 1)
    _ = begin(Array(repeating: .markRead(upTo: ids[0]), count: 2))
    let unknown = begin([.markRead(upTo: ids[1]), .markRead(upTo: ids[1])])
    rig.now = try #require(rig.wakeTime)
    rig.handle(.deadline)
    rig.failNext(.unknown(""), isWritten: true)
    rig.failNext(.unavailable(""))
    #expect(unknown.allSatisfy { rig.answers[$0]?.error?.data.outcome == "unknown" })
    rig.now += Settlement.pause
    rig.handle(.deadline)
    rig.answerAll()
    #expect(try rig.own(of: "ben").readOrdinal == 2 && rig.isIdle)
  }

  @Test("positions are those of the same marks one by one", arguments: UInt64(1)...30)
  func compared(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let ids = try send(12)
    let other = try JudgeRig.group()
    for _ in 0..<12 {
      other.now += 1
      _ = try other.perform(.send("x"), by: "ann")
    }
    for _ in 0..<40 {
      rig.now += Int64.random(in: 0...300, using: &random)
      let id = ids.randomElement(using: &random) ?? 0
      let change: OwnChange =
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .markRead(upTo: nil)
        case 1..<5: .markRead(upTo: id)
        case _: .markUnread(from: id)
        }
      if let time = rig.wakeTime, time <= rig.now { rig.handle(.deadline) }
      let start = rig.now
      let call = begin([change])[0]
      other.now += 400
      _ = try other.own(change, by: "ben")
      if random.oneIn(3) {
        while rig.answers[call] == nil { try wake() }
        #expect(rig.now <= start + 1_000)
        #expect(try rig.own(of: "ben").readOrdinal == other.own(of: "ben").readOrdinal)
      }
    }
    while !rig.isIdle { try wake() }
    #expect(try rig.own(of: "ben").readOrdinal == other.own(of: "ben").readOrdinal)
    #expect(try rig.own(of: "ben").unreadCount == other.own(of: "ben").unreadCount)
  }

  @Test("marks that wait are counted as late, whatever they do")
  func counted() throws {
    let ids = try send(2)
    _ = begin([.markRead(upTo: ids[0]), .markRead(upTo: ids[0]), .markUnread(from: ids[0])])
    rig.groupTally = nil
    let calls = begin([.markRead(upTo: ids[1])])
    #expect(rig.groupTally?.reads.late == 1)
    rig.groupTally = nil
    while rig.answers[calls[0]] == nil { try wake() }
    #expect(rig.groupTally?.reads ?? .init() == .init())
  }
}
