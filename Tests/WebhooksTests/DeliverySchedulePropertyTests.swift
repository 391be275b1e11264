import TestSupport
import Testing

@testable import Webhooks

@Suite("Delivery with random failures of requests")
struct DeliverySchedulePropertyTests {
  /// A server in memory: an outbox, and receivers that lose answers.
  private struct World {
    static let channels = ["a", "b", "c", "d", "e"]
    static let receiverCount = 3
    static let concurrency = 2

    var random: SeededGenerator
    var schedule = DeliverySchedule(receivers: receiverCount, concurrency: concurrency)
    var outbox: [(id: Int64, channel: String)] = []
    /// What each path's receiver got, repetitions included.
    var received: [DeliveryPath: [Int64]] = [:]
    /// What is noted as taken.
    var cursors: [DeliveryPath: Int64] = [:]
    var underWay: [Turn] = []
    var now: Int64 = 0

    mutating func queue() {
      let channel = Self.channels[Int.random(in: 0..<Self.channels.count, using: &random)]
      let id = (outbox.last?.id ?? 0) + 1
      outbox.append((id, channel))
      schedule.didQueue(channel, eventID: id)
    }

    mutating func begin() {
      while let turn = schedule.next(at: now) {
        #expect(!underWay.contains { $0.path == turn.path })
        underWay.append(turn)
        let busy = underWay.count { $0.path.receiver == turn.path.receiver }
        #expect(busy <= Self.concurrency)
      }
    }

    /// - Parameter failures: Of a hundred.
    mutating func end(failures: Int) {
      guard !underWay.isEmpty else { return }
      let turn = underWay.remove(at: Int.random(in: 0..<underWay.count, using: &random))
      let batch = outbox.filter {
        $0.channel == turn.path.channelURL && $0.id > turn.after && $0.id <= turn.through
      }.prefix(3)
      let fate = Int.random(in: 0..<100, using: &random)
      // Half of those that fail arrived, and only the answer was lost.
      if fate >= failures / 2 { received[turn.path, default: []] += batch.map(\.id) }
      if fate >= failures, let last = batch.last?.id {
        cursors[turn.path] = last
        schedule.didTake(turn.path, through: last)
        schedule.didDeliver(turn.path, through: last)
      } else {
        schedule.didFail(
          turn.path, at: now, asked: fate.isMultiple(of: 7) ? 5_000 : nil,
          random: random.next())
      }
    }

    /// The process is killed: what is noted is all that stays.
    mutating func restart() {
      schedule = DeliverySchedule(receivers: Self.receiverCount, concurrency: Self.concurrency)
      underWay = []
      for channel in Self.channels {
        guard let last = outbox.last(where: { $0.channel == channel }) else { continue }
        for receiver in 0..<Self.receiverCount {
          let path = DeliveryPath(receiver: receiver, channelURL: channel)
          let cursor = cursors[path] ?? 0
          if cursor < last.id { schedule.add(path, after: cursor, through: last.id) }
        }
      }
    }

    mutating func drain() {
      var rounds = 0
      while schedule.pathCount > 0, rounds < 100_000 {
        rounds += 1
        begin()
        end(failures: 0)
        if underWay.isEmpty, let next = schedule.nextAttempt { now = max(now, next) }
      }
    }
  }

  @Test(
    "every receiver gets all events of every channel at least once, first arrivals in order",
    arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func deliversAll(seed: UInt64) {
    var world = World(random: SeededGenerator(seed: seed))
    for _ in 0..<2_000 {
      switch Int.random(in: 0..<100, using: &world.random) {
      case 0: world.restart()
      case 1..<30: world.queue()
      case 30..<60: world.begin()
      case 60..<95: world.end(failures: 40)
      case 95: world.schedule.retry()
      default: world.now += Int64.random(in: 0...400_000, using: &world.random)
      }
    }
    world.drain()
    for channel in World.channels {
      let sent = world.outbox.filter { $0.channel == channel }.map(\.id)
      for receiver in 0..<World.receiverCount {
        let got = world.received[DeliveryPath(receiver: receiver, channelURL: channel)] ?? []
        var seen: Set<Int64> = []
        let firsts = got.filter { seen.insert($0).inserted }
        #expect(firsts == sent, "seed \(seed), \(channel) at \(receiver)")
      }
    }
  }
}
