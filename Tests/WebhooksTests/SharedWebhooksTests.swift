import Cluster
import Lanes
import Logging
import ParleyProtocol
import Store
import Synchronization
import TestPeers
import TestSupport
import Testing

@testable import Webhooks

@Suite("Webhooks of several servers on one PostgreSQL", .serialized, .onOwnThreads)
struct SharedWebhooksTests {
  /// The network of a server, whose ring the test sets.
  private final class Network: ClusterNetwork {
    let local: ClusterMember
    private let current: Mutex<ServerRing>

    init(_ local: ClusterMember, _ ring: ServerRing) {
      self.local = local
      current = Mutex(ring)
    }

    var ring: ServerRing { current.withLock { $0 } }
    func send(_ message: [UInt8], to server: ServerID) {}
    func show(_ ring: ServerRing) { current.withLock { $0 = ring } }
  }

  /// A server that has an outbox and posts from it.
  private struct Server {
    let network: Network
    let store: Store
    let webhooks: Webhooks

    init(_ member: ClusterMember, _ ring: ServerRing, _ url: String, _ hook: HookServer) throws {
      let door = DeliveryHandle()
      var options = StoreOptions(
        outbox: OutboxOptions(
          events: Set(EventName.posted), participantCount: { _ in 0 },
          didQueue: { door.didQueue($0) }))
      options.sharing = .shared
      store = try Store(.postgreSQL(url: url), options: options)
      let network = Network(member, ring)
      self.network = network
      let contents = Mutex<OutboxContents?>(nil)
      let isDone = Mutex(false)
      store.perform(OutboxReceiverChange([hook.url])) { result in
        contents.withLock { $0 = try? result.get() }
        isDone.withLock { $0 = true }
      }
      try Deadline.standard.wait(for: "the receivers") { isDone.withLock { $0 } }
      webhooks = try Webhooks(
        WebhookConfiguration(urls: [hook.url], secret: Array("secret of sixteen bytes".utf8)),
        contents: try #require(contents.withLock { $0 }), store: store,
        cluster: LaneCluster(network: network) { _, _ in }, door: door,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    func queue(_ events: [(channel: String, seq: Int64)]) {
      for (channel, seq) in events {
        let origin = EventOrigin(channelURL: channel, seq: seq, timestamp: 1)
        store.perform(OutboxAddition(.messageDeleted(Event.Deletion(messageID: seq)), from: origin))
        {
          if case .failure(let error) = $0 { Issue.record("\(error)") }
        }
      }
    }

    /// Ends as a killed process does, as far as others see it: nothing is noted or freed any more.
    func kill() {
      store.close()
      webhooks.shutDown()
    }
  }

  private static let members = (1...3).map {
    ClusterMember(
      id: ServerID(rawValue: UInt64($0) &* 0x9e37_79b9_7f4a_7c15), slot: UInt16($0), name: "")
  }

  private static func received(_ hook: HookServer) throws -> [String: [Int64]] {
    var received: [String: [Int64]] = [:]
    for event in try hook.events {
      guard let channel = event["channel_url"]?.string, let seq = event["seq"]?.integer else {
        Issue.record("an event without a place")
        continue
      }
      received[channel, default: []].append(seq)
    }
    return received
  }

  @Test("10,000 events, with the posting servers killed twice: none is lost, each in order")
  func owners() throws {
    let postgreSQL = try PostgreSQLServer()
    defer { try? postgreSQL.remove() }
    let hook = try HookServer()
    defer { hook.stop() }
    let ring = ServerRing(live: Self.members)
    let servers = try Self.members.map { try Server($0, ring, postgreSQL.url, hook) }
    let channels = (0..<20).map { "channel_\($0)" }
    var sent: Int64 = 0
    for (round, count) in [(0, 150), (1, 150), (2, 200)] as [(Int, Int64)] {
      let events = ((sent + 1)...(sent + count)).flatMap { seq in
        channels.map { (channel: $0, seq: seq) }
      }
      servers[2].queue(events)
      sent += count
      // In the middle of it.
      let half = (Int(sent) - Int(count) / 2) * channels.count
      try Deadline.in(seconds: 120).wait(for: "half of a round") { try hook.events.count >= half }
      guard round < 2 else { break }
      let left = ServerRing(live: Array(Self.members.dropFirst(round + 1)))
      servers[round].kill()
      for server in servers.dropFirst(round + 1) { server.network.show(left) }
    }
    try Deadline.in(seconds: 120).wait(for: "all events") {
      try Self.received(hook).values.reduce(0) { $0 + Set($1).count } >= 10_000
    }
    let all = Array(1...sent)
    for (channel, seqs) in try Self.received(hook) {
      var seen: Set<Int64> = []
      #expect(seqs.filter { seen.insert($0).inserted } == all, "\(channel)")
      // Of each owner that was killed one request may come again.
      let returns = zip(seqs, seqs.dropFirst()).count { $1 <= $0 }
      #expect(returns <= 2, "\(channel)")
    }
    servers[2].webhooks.shutDown()
    servers[2].store.close()
  }

  @Test("a lane moves without duplicates when a server starts, and when one stops in order")
  func handover() throws {
    let postgreSQL = try PostgreSQLServer()
    defer { try? postgreSQL.remove() }
    let hook = try HookServer()
    defer { hook.stop() }
    let alone = ServerRing(live: [Self.members[0]])
    let first = try Server(Self.members[0], alone, postgreSQL.url, hook)
    let channels = (0..<20).map { "channel_\($0)" }
    func queue(_ range: ClosedRange<Int64>) {
      first.queue(range.flatMap { seq in channels.map { (channel: $0, seq: seq) } })
    }
    queue(1...50)
    let both = ServerRing(live: Array(Self.members.prefix(2)))
    let second = try Server(Self.members[1], both, postgreSQL.url, hook)
    first.network.show(both)
    queue(51...100)
    try Deadline.in(seconds: 120).wait(for: "the first events") { try hook.events.count >= 2_000 }
    second.webhooks.shutDown()
    second.store.close()
    first.network.show(alone)
    queue(101...120)
    try Deadline.in(seconds: 120).wait(for: "the last events") { try hook.events.count >= 2_400 }
    for (channel, seqs) in try Self.received(hook) {
      #expect(seqs == Array(1...120), "\(channel)")
    }
    try Deadline.in(seconds: 120).wait(for: "an empty outbox") {
      first.webhooks.counters.backlog == 0
    }
    first.webhooks.shutDown()
    first.store.close()
  }
}
