import ClientFoundation
import ClientSockets
import ClientTransport
import Synchronization
import TestSupport
import Testing

/// The two implementations of the seam, which behave the same.
enum LaneKind: CaseIterable, Sendable {
  case sockets
  case foundation

  func lane() throws -> any Lane {
    switch self {
    case .sockets: try ClientLoop()
    case .foundation: FoundationLane()
    }
  }
}

@Suite("A lane", .onOwnThreads)
struct LaneTests {
  @Test("runs jobs one at a time, in their order", arguments: LaneKind.allCases)
  func jobs(of kind: LaneKind) async throws {
    let lane = try kind.lane()
    let seen = Mutex<[Int]>([])
    for number in 0..<1000 { lane.run { _ in seen.withLock { $0.append(number) } } }
    try await Deadline.standard.wait(for: "the jobs") { seen.withLock { $0.count } == 1000 }
    #expect(seen.withLock { $0 } == Array(0..<1000))
  }

  @Test(
    "fires timers by their times, and not those that were cancelled", arguments: LaneKind.allCases)
  func timers(of kind: LaneKind) async throws {
    let lane = try kind.lane()
    let seen = Mutex<[String]>([])
    lane.run { context in
      let start = context.now
      _ = context.timer(after: 60) {
        seen.withLock { $0.append(context.now - start >= 60 ? "late" : "too early") }
      }
      _ = context.timer(after: 0) { seen.withLock { $0.append("early") } }
      let cancelled = context.timer(after: 20) { seen.withLock { $0.append("cancelled") } }
      cancelled.cancel()
      cancelled.cancel()
    }
    try await Deadline.standard.wait(for: "the timers") { seen.withLock { $0.count } == 2 }
    #expect(seen.withLock { $0 } == ["early", "late"])
  }

  @Test("keeps its members until they are removed", arguments: LaneKind.allCases)
  func members(of kind: LaneKind) async throws {
    final class Member: LaneMember {
      let ends: Mutex<Int>
      init() { ends = Mutex(0) }
      func abandon() { ends.withLock { $0 += 1 } }
    }
    let owner = LaneBound(Member())
    var lane: (any Lane)? = try kind.lane()
    lane?.run { $0.members[ObjectIdentifier(owner.value)] = owner.value }
    lane?.run { #expect($0.members.count == 1) }
    lane = nil
    try await Deadline.standard.wait(for: "the end of the member") {
      owner.value.ends.withLock { $0 } == 1
    }
  }
}
