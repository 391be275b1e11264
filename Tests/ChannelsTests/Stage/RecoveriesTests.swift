import ParleyProtocol
import Testing

@testable import Channels

@Suite("Connections that recover")
struct RecoveriesTests {
  private var recoveries = Recoveries()

  private func request(_ userID: String, limit: Int = Limits.answerByteCount) -> RecoveryRequest {
    let session = SessionAddress.sample(1)
    return .entering(
      EnterRequest(
        principal: SessionPrincipal(user: User(id: userID), session: session), recover: nil,
        address: ReplyAddress(
          session: session, ticket: CallTicket(unit: 0, index: 0), id: nil, isPaid: true,
          limit: limit)))
  }

  private mutating func begin(
    after position: Int64, lastSeq: Int64, limit: Int = Limits.answerByteCount
  ) throws -> RecoveryRead {
    let read = recoveries.begin(request("ann", limit: limit), after: position, lastSeq: lastSeq)
    return try #require(read)
  }

  private func deleted(_ seqs: ClosedRange<Int64>) -> [DurableEvent] {
    seqs.map { .deleted(Event.Deletion(messageID: $0), seq: $0, timestamp: 0) }
  }

  private mutating func missed(
    _ number: Int, with events: [DurableEvent]?, lastSeq: Int64
  ) -> [Int64]? {
    guard case .answer(_, let missed?)? = recoveries.proceed(number, with: events, lastSeq: lastSeq)
    else { return nil }
    return missed.map(\.seq)
  }

  @Test(
    "positions from the last event back to 300 events before it can be recovered",
    arguments: [
      (-1, 5, false), (0, 5, true), (5, 5, true), (6, 5, false), (100, 400, true),
      (99, 400, false), (0, 300, true), (0, 301, false),
    ])
  mutating func positions(position: Int64, lastSeq: Int64, isRecoverable: Bool) {
    let read = recoveries.begin(request("ann"), after: position, lastSeq: lastSeq)
    #expect((read != nil) == isRecoverable && recoveries.isEmpty != isRecoverable)
    if let read { #expect(read.seq == position && read.updateReach == 1_000) }
  }

  @Test("each recovery has its own number, larger than all previous ones")
  mutating func numbers() throws {
    var numbers: [Int] = []
    for _ in 0..<3 { numbers.append(try begin(after: 1, lastSeq: 1).number) }
    #expect(numbers == numbers.sorted() && Set(numbers).count == 3)
  }

  @Test("a connection enters if nothing has happened since its read")
  mutating func enters() throws {
    let read = try begin(after: 2, lastSeq: 4)
    #expect(missed(read.number, with: deleted(3...4), lastSeq: 4) == [3, 4])
    #expect(recoveries.isEmpty)
    #expect(recoveries.proceed(read.number, with: [], lastSeq: 4) == nil)
  }

  @Test("later events are read from the last known event on, without earlier updates")
  mutating func goesOn() throws {
    let first = try begin(after: 2, lastSeq: 3)
    guard
      case .read(let next)? = recoveries.proceed(first.number, with: deleted(3...3), lastSeq: 5)
    else { return #expect(Bool(false)) }
    #expect(next.number == first.number && next.seq == 3 && next.updateReach == nil)
    #expect(missed(next.number, with: deleted(4...5), lastSeq: 5) == [3, 4, 5])
  }

  @Test("events that the stage has not applied are omitted and follow as events")
  mutating func ahead() throws {
    let read = try begin(after: 2, lastSeq: 3)
    #expect(missed(read.number, with: deleted(3...6), lastSeq: 3) == [3])
  }

  @Test("the fourth read is queued after the writes, and is the last whatever it returns")
  mutating func lastRead() throws {
    var read = try begin(after: 0, lastSeq: 1)
    for lastSeq in Int64(2)...4 {
      guard
        case .beside = read.path,
        case .read(let next)? = recoveries.proceed(read.number, with: [], lastSeq: lastSeq)
      else { return #expect(Bool(false)) }
      read = next
    }
    guard case .behindWrites = read.path else { return #expect(Bool(false)) }
    #expect(missed(read.number, with: deleted(1...4), lastSeq: 5) == [1, 2, 3, 4])
  }

  @Test("a last read overtaken by a repair is followed by another read")
  mutating func overtaken() throws {
    var read = try begin(after: 0, lastSeq: 1)
    while case .beside = read.path {
      guard case .read(let next)? = recoveries.proceed(read.number, with: [], lastSeq: 4) else {
        return #expect(Bool(false))
      }
      read = next
    }
    recoveries.renew()
    guard
      case .read(let next)? = recoveries.proceed(read.number, with: deleted(1...4), lastSeq: 9),
      case .behindWrites = next.path
    else { return #expect(Bool(false)) }
    #expect(next.seq == 4)
    #expect(missed(next.number, with: deleted(5...9), lastSeq: 9) == Array(1...9))
  }

  @Test("recovery ends without events if more than 300 occurred, or if the log has none")
  mutating func tooMany() throws {
    for (events, lastSeq) in [(deleted(2...2), Int64(302)), (nil, 2)] {
      let read = try begin(after: 1, lastSeq: 2)
      guard
        case .answer(_, missed: nil)? = recoveries.proceed(
          read.number, with: events, lastSeq: lastSeq)
      else { return #expect(Bool(false)) }
    }
    #expect(recoveries.isEmpty)
  }

  @Test("recoveries are withdrawn individually or by user, in their order")
  mutating func withdrawal() throws {
    for userID in ["ann", "ben", "ann", "cat"] {
      _ = recoveries.begin(request(userID), after: 1, lastSeq: 1)
    }
    let removed = recoveries.removeAll { $0.principal.user.id == "ann" }
    #expect(removed.count == 2 && !recoveries.isEmpty)
    #expect(recoveries.remove(2)?.principal.user.id == "ben")
    #expect(recoveries.remove(2) == nil && recoveries.remove(1) == nil)
    #expect(recoveries.removeAll { _ in true }.map(\.principal.user.id) == ["cat"])
    #expect(recoveries.isEmpty)
  }

  @Test("all recoveries withdrawn at once are returned in the order in which they began")
  mutating func order() {
    let users = (0..<20).map { "user-\($0)" }
    for user in users { _ = recoveries.begin(request(user), after: 0, lastSeq: 0) }
    #expect(recoveries.removeAll { _ in true }.map(\.principal.user.id) == users)
  }

  @Test("a read may return as much as fits into the response beside the channel")
  mutating func room() throws {
    for (limit, room) in [(524_288, 458_752), (65_536, 0), (10, 0)] {
      let read = try begin(after: 1, lastSeq: 1, limit: limit)
      #expect(read.byteLimit == Int64(room))
    }
  }
}
