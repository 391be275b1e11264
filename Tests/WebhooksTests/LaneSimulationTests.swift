import Cluster
import Lanes
@testable import Store
import TestSupport
import Testing

@testable import Webhooks

@Suite("Delivery from several servers that start, stop and stall")
struct LaneSimulationTests {
  /// Servers on one outbox, without threads, disk and clock.
  private struct World {
    static let channels = (0..<12).map { "channel_\($0)" }
    static let handoverTime: Int64 = 8_000

    struct Server {
      let member: ClusterMember
      var ownership: LaneOwnership
      var schedule = DeliverySchedule(receivers: 1, concurrency: 4)
      var taken = TakenEvents()
      /// Batches under way, with the term under which they were read.
      var underWay: [(turn: Turn, events: [Int64])] = []
      /// What was taken and is not noted.
      var advances: [Advance] = []
      var isStopped = false
    }

    struct Advance {
      let channel: String
      let events: [Int64]
      let event: Int64
      let hold: OutboxHold
    }

    var random: SeededGenerator
    var now: Int64 = 0
    var servers: [Server] = []
    var lastID: UInt64 = 0
    var rows: [OutboxLane: OutboxLaneRow] = [:]
    var outbox: [(id: Int64, channel: String)] = []
    var cursors: [String: Int64] = [:]
    var lastEvent: Int64 = 0
    var sent: [String: [Int64]] = [:]
    var received: [String: [Int64]] = [:]
    /// Events of requests that were under way, or taken and not noted, when their server died, stood
    /// still or lost the lane.
    var excused: Set<Int64> = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// The ring that servers see: those that stand still are declared dead.
    var ring: ServerRing? {
      let live = servers.filter { !$0.isStopped }.map(\.member)
      return live.isEmpty ? nil : ServerRing(live: live)
    }

    mutating func start() {
      lastID += 1
      let id = ServerID(rawValue: lastID &* 0x9e37_79b9_7f4a_7c15)
      let member = ClusterMember(id: id, slot: UInt16(lastID % 256), name: "")
      servers.append(
        Server(
          member: member,
          ownership: LaneOwnership(local: id, handoverTime: Self.handoverTime)))
    }

    mutating func queue() {
      let channel = Self.channels[Int.random(in: 0..<Self.channels.count, using: &random)]
      lastEvent += 1
      outbox.append((lastEvent, channel))
      sent[channel, default: []].append(lastEvent)
    }

    private func holds(_ hold: OutboxHold) -> Bool { (rows[hold.lane]?.term ?? 0) == hold.term }

    /// Takes the ring, frees, surveys and claims, as the loop does.
    mutating func survey(_ index: Int) {
      guard let ring, !servers[index].isStopped else { return }
      let left = servers[index].ownership.update(ring, at: now)
      servers[index].schedule.withdraw { left.contains(OutboxLane(ofChannel: $0)) }
      var busy = OutboxLanes(
        servers[index].underWay.map { OutboxLane(ofChannel: $0.turn.path.channelURL) })
      for advance in servers[index].advances { busy.insert(advance.hold.lane) }
      for hold in servers[index].ownership.release(unless: busy, at: now) where holds(hold) {
        rows[hold.lane]?.serverID = nil
      }
      let all = OutboxLanes.all.sorted.map {
        rows[$0] ?? OutboxLaneRow(lane: $0, serverID: nil, term: 0)
      }
      lose(servers[index].ownership.review(all, at: now), index)
      for hold in servers[index].ownership.holds {
        for channel in Self.channels where OutboxLane(ofChannel: channel) == hold.lane {
          guard let last = outbox.last(where: { $0.channel == channel })?.id else { continue }
          let path = DeliveryPath(receiver: 0, channelURL: channel)
          let cursor = max(cursors[channel] ?? 0, servers[index].taken[path] ?? 0)
          if cursor < last { servers[index].schedule.add(path, after: cursor, through: last) }
        }
      }
      claim(servers[index].ownership.claims(among: all, at: now), index)
    }

    private mutating func claim(_ wanted: [OutboxLaneRow], _ index: Int) {
      let id = servers[index].member.id.rawValue
      let claimed = wanted.filter { (rows[$0.lane]?.term ?? 0) == $0.term }
      for row in claimed {
        rows[row.lane] = OutboxLaneRow(lane: row.lane, serverID: id, term: row.term + 1)
      }
      _ = servers[index].ownership.didClaim(
        claimed.map { OutboxHold(lane: $0.lane, term: $0.term + 1) }, at: now)
    }

    private mutating func lose(_ lost: OutboxLanes, _ index: Int) {
      servers[index].schedule.withdraw { lost.contains(OutboxLane(ofChannel: $0)) }
      servers[index].taken.removeAll { lost.contains(OutboxLane(ofChannel: $0.channelURL)) }
      for advance in servers[index].advances where lost.contains(advance.hold.lane) {
        excused.formUnion(advance.events)
      }
      servers[index].advances.removeAll { lost.contains($0.hold.lane) }
    }

    /// Reads and posts what may be posted.
    mutating func begin(_ index: Int) {
      guard !servers[index].isStopped else { return }
      while let turn = servers[index].schedule.next(at: now) {
        let lane = OutboxLane(ofChannel: turn.path.channelURL)
        guard servers[index].ownership.delivers(lane),
          let term = servers[index].ownership.term(of: lane)
        else {
          servers[index].schedule.didFail(turn.path, at: now, random: 0)
          continue
        }
        guard holds(OutboxHold(lane: lane, term: term)) else {
          servers[index].ownership.didLose([OutboxHold(lane: lane, term: term)], at: now)
          lose([lane], index)
          servers[index].schedule.didFail(turn.path, at: now, random: 0)
          continue
        }
        let events = outbox.filter {
          $0.channel == turn.path.channelURL && $0.id > turn.after && $0.id <= turn.through
        }.prefix(3).map(\.id)
        if events.isEmpty {
          servers[index].schedule.didDeliver(turn.path, through: turn.through)
        } else {
          servers[index].underWay.append((turn, events))
        }
      }
    }

    /// Ends a request, whose events arrive now.
    mutating func end(_ index: Int) {
      guard !servers[index].isStopped, !servers[index].underWay.isEmpty else { return }
      let place = Int.random(in: 0..<servers[index].underWay.count, using: &random)
      let (turn, events) = servers[index].underWay.remove(at: place)
      let channel = turn.path.channelURL
      received[channel, default: []] += events
      let lane = OutboxLane(ofChannel: channel)
      let last = events.last ?? turn.after
      servers[index].schedule.didDeliver(turn.path, through: last)
      guard let term = servers[index].ownership.term(of: lane) else {
        return excused.formUnion(events)
      }
      let hold = OutboxHold(lane: lane, term: term)
      if !holds(hold) { excused.formUnion(events) }
      servers[index].taken.didTake(turn.path, through: last)
      servers[index].advances.append(
        Advance(channel: channel, events: events, event: last, hold: hold))
    }

    /// Notes what was taken.
    mutating func note(_ index: Int) {
      guard !servers[index].isStopped else { return }
      for advance in servers[index].advances {
        guard holds(advance.hold) else {
          excused.formUnion(advance.events)
          servers[index].ownership.didLose([advance.hold], at: now)
          lose([advance.hold.lane], index)
          continue
        }
        cursors[advance.channel] = max(cursors[advance.channel] ?? 0, advance.event)
        servers[index].taken.didNote(
          DeliveryPath(receiver: 0, channelURL: advance.channel), through: advance.event)
      }
      servers[index].advances = []
      outbox.removeAll { $0.id <= cursors[$0.channel] ?? 0 }
    }

    /// Ends a server: half of its requests have arrived.
    mutating func kill(_ index: Int) {
      let server = servers.remove(at: index)
      for (turn, events) in server.underWay {
        if Bool.random(using: &random) {
          received[turn.path.channelURL, default: []] += events
        }
        excused.formUnion(events)
      }
      for advance in server.advances { excused.formUnion(advance.events) }
    }

    mutating func toggle(_ index: Int) {
      servers[index].isStopped.toggle()
      guard servers[index].isStopped else { return }
      for (_, events) in servers[index].underWay { excused.formUnion(events) }
      for advance in servers[index].advances { excused.formUnion(advance.events) }
    }
  }

  @Test(
    "no event is lost, first arrivals are in order, and only requests in flight are repeated",
    arguments: 1...40)
  func delivers(seed: Int) {
    var world = World(seed: UInt64(seed))
    world.start()
    for _ in 0..<3_000 {
      world.now += Int64.random(in: 0...200, using: &world.random)
      let count = world.servers.count
      let index = count == 0 ? 0 : Int.random(in: 0..<count, using: &world.random)
      switch Int.random(in: 0..<1_000, using: &world.random) {
      case 0..<5: if count < 4 { world.start() }
      case 5..<8: if count > 1 { world.kill(index) }
      case 8..<14: if count > 1 { world.toggle(index) }
      case 14..<300: world.queue()
      case 300..<500: if count > 0 { world.survey(index) }
      case 500..<650: if count > 0 { world.begin(index) }
      case 650..<850: if count > 0 { world.end(index) }
      default: if count > 0 { world.note(index) }
      }
    }
    for index in world.servers.indices where world.servers[index].isStopped { world.toggle(index) }
    var rounds = 0
    while !world.outbox.isEmpty, rounds < 10_000 {
      rounds += 1
      world.now += 1_000
      for index in world.servers.indices {
        world.survey(index)
        world.begin(index)
        while !world.servers[index].underWay.isEmpty { world.end(index) }
        world.note(index)
      }
    }
    for (channel, sent) in world.sent {
      var seen: Set<Int64> = []
      let firsts = (world.received[channel] ?? []).filter { seen.insert($0).inserted }
      #expect(firsts == sent, "\(channel)")
      var counts: [Int64: Int] = [:]
      for event in world.received[channel] ?? [] { counts[event, default: 0] += 1 }
      let doubled = counts.filter { $0.value > 1 }.map(\.key)
      #expect(doubled.allSatisfy(world.excused.contains), "\(channel)")
    }
    #expect(world.rows.values.allSatisfy { $0.term > 0 })
  }
}
