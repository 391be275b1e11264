import Cluster
@testable import Store
import TestSupport
import Testing

@testable import Lanes

@Suite("Lanes of the outbox")
struct LaneOwnershipTests {
  private let members = (1...3).map {
    ClusterMember(
      id: ServerID(rawValue: UInt64($0) &* 0x9e37_79b9_7f4a_7c15), slot: UInt16($0), name: "")
  }

  private func makeOwnership(of member: Int = 0) -> LaneOwnership {
    LaneOwnership(local: members[member].id, handoverTime: 8_000)
  }

  /// Rows that all have one owner.
  private func rows(_ owner: ClusterMember?, term: Int64) -> [OutboxLaneRow] {
    OutboxLanes.all.sorted.map {
      OutboxLaneRow(lane: $0, serverID: owner?.id.rawValue, term: term)
    }
  }

  private func holds(_ rows: [OutboxLaneRow]) -> [OutboxHold] {
    rows.map { OutboxHold(lane: $0.lane, term: $0.term + 1) }
  }

  @Test("a channel always has the same lane")
  func laneOfChannel() {
    var counts = [Int](repeating: 0, count: OutboxLane.count)
    for index in 0..<64_000 { counts[OutboxLane(ofChannel: "channel_\(index)").number] += 1 }
    #expect(counts.allSatisfy { (800...1_200).contains($0) })
    #expect(["lobby", "a", "zürich"].map { OutboxLane(ofChannel: $0).number } == [5, 0, 62])
  }

  @Test("sets of lanes")
  func sets() {
    var lanes: OutboxLanes = [OutboxLane(3), OutboxLane(63)]
    lanes.insert(OutboxLane(0))
    lanes.remove(OutboxLane(3))
    #expect(lanes.sorted.map(\.number) == [0, 63])
    #expect(lanes.count == 2)
    #expect(lanes.bits == 0x8000_0000_0000_0001)
    #expect(OutboxLanes.all.count == 64)
    #expect(OutboxLanes().isEmpty)
  }

  @Test("a server alone in its ring claims all lanes, and no lane twice")
  func alone() {
    var ownership = makeOwnership()
    _ = ownership.update(ServerRing(live: [members[0]]), at: 0)
    let free = rows(nil, term: 0)
    let claims = ownership.claims(among: free, at: 0)
    #expect(claims.count == 64)
    #expect(ownership.claims(among: free, at: 0).isEmpty)
    #expect(ownership.holds.isEmpty)
    // One row was another's by then.
    let left = ownership.didClaim(Array(holds(claims).dropFirst()), at: 1)
    #expect(left.isEmpty)
    #expect(ownership.holds.count == 63)
    #expect(!ownership.delivers(claims[0].lane))
    #expect(ownership.claims(among: free, at: 1).map(\.lane) == [claims[0].lane])
  }

  @Test("lanes of a dead server are claimed at once, those of a live one after the waiting time")
  func handover() {
    var ownership = makeOwnership()
    _ = ownership.update(ServerRing(live: members), at: 0)
    let ours = ownership.claims(among: rows(nil, term: 0), at: 0)
    #expect((10...32).contains(ours.count))
    _ = ownership.didClaim([], at: 0)
    let others = rows(members[1], term: 5)
    #expect(ownership.claims(among: others, at: 7_999).isEmpty)
    #expect(ownership.claims(among: others, at: 8_000).map(\.lane) == ours.map(\.lane))
    _ = ownership.didClaim([], at: 8_000)
    _ = ownership.update(ServerRing(live: [members[0], members[2]]), at: 8_001)
    #expect(ownership.claims(among: others, at: 8_001).count >= ours.count)
  }

  @Test("a lane that moves is freed when it has no request in flight")
  func leaving() throws {
    var ownership = makeOwnership()
    _ = ownership.update(ServerRing(live: [members[0]]), at: 0)
    _ = ownership.didClaim(holds(ownership.claims(among: rows(nil, term: 0), at: 0)), at: 0)
    let left = ownership.update(ServerRing(live: members), at: 1)
    #expect((32...54).contains(left.count))
    let busy = try #require(left.sorted.first)
    for lane in left.sorted {
      #expect(!ownership.delivers(lane))
      #expect(ownership.term(of: lane) == 1)
    }
    #expect(ownership.isLeaving)
    let freed = ownership.release(unless: [busy], at: 2)
    #expect(OutboxLanes(freed.map(\.lane)).count == left.count - 1)
    #expect(ownership.term(of: busy) == 1)
    #expect(ownership.release(unless: [], at: 3) == [OutboxHold(lane: busy, term: 1)])
    #expect(!ownership.isLeaving)
    #expect(ownership.release(unless: [], at: 4).isEmpty)
  }

  @Test("a lane that returns before it was freed is kept")
  func comingBack() {
    var ownership = makeOwnership()
    let alone = ServerRing(live: [members[0]])
    _ = ownership.update(alone, at: 0)
    _ = ownership.didClaim(holds(ownership.claims(among: rows(nil, term: 0), at: 0)), at: 0)
    _ = ownership.update(ServerRing(live: members), at: 1)
    _ = ownership.update(alone, at: 2)
    #expect(ownership.holds.count == 64)
    #expect(ownership.release(unless: [], at: 3).isEmpty)
  }

  @Test("a lane that another server has claimed is lost, whichever way it is detected")
  func loss() {
    var ownership = makeOwnership()
    _ = ownership.update(ServerRing(live: [members[0]]), at: 0)
    _ = ownership.didClaim(holds(ownership.claims(among: rows(nil, term: 0), at: 0)), at: 0)
    let (first, second) = (OutboxLane(7), OutboxLane(8))
    #expect(ownership.review(rows(members[0], term: 1), at: 1).isEmpty)
    let changed = [OutboxLaneRow(lane: first, serverID: members[1].id.rawValue, term: 2)]
    #expect(ownership.review(changed, at: 1) == [first])
    ownership.didLose([OutboxHold(lane: second, term: 1), OutboxHold(lane: first, term: 1)], at: 1)
    #expect(ownership.holds.count == 62)
    // The ring names this server all the same: it waits for the other's requests.
    #expect(
      ownership.claims(among: rows(nil, term: 2), at: 2).map(\.lane) == [first, second])
  }

  @Test("a claim that completes after the ring has changed is freed again")
  func lateClaim() {
    var ownership = makeOwnership()
    _ = ownership.update(ServerRing(live: [members[0]]), at: 0)
    let claims = ownership.claims(among: rows(nil, term: 0), at: 0)
    _ = ownership.update(ServerRing(live: members), at: 1)
    let left = ownership.didClaim(holds(claims), at: 2)
    #expect(!left.isEmpty)
    #expect(ownership.holds.count + left.count == 64)
    #expect(ownership.release(unless: [], at: 3).count == left.count)
  }

  @Test("a stopping server frees all lanes")
  func stopping() {
    var ownership = makeOwnership()
    _ = ownership.update(ServerRing(live: [members[0]]), at: 0)
    _ = ownership.didClaim(holds(ownership.claims(among: rows(nil, term: 0), at: 0)), at: 0)
    ownership.leaveAll()
    #expect(ownership.holds.isEmpty)
    #expect(ownership.release(unless: [], at: 1).count == 64)
  }
}
