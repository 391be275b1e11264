import Channels
import Cluster
import Lanes
import Logging
import ParleyProtocol
import Push
import Reactor
import Store
import Synchronization
import TestPeers
import TestSupport
import Testing

@testable import PushDelivery

@Suite("Pushes of several servers on one PostgreSQL", .serialized, .onOwnThreads)
struct SharedPushTests {
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

  private struct Server {
    let network: Network
    let store: Store
    let delivery: PushDelivery

    init(_ member: ClusterMember, _ ring: ServerRing, _ url: String, _ peer: PushPeer) throws {
      let door = PushDoor()
      var options = StoreOptions(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      options.push = PushJobOptions { door.didQueue($0) }
      options.sharing = .shared
      store = try Store(.postgreSQL(url: url), options: options)
      network = Network(member, ring)
      var configuration = PushConfiguration()
      var apple = PushConfiguration.Apple(
        key: TestKeys.p256, keyID: "K", teamID: "T", topic: "app", url: peer.url)
      apple.requiresHTTP2 = false
      configuration.apple = apple
      configuration.budgets.perUser = 0
      delivery = try PushDelivery(
        configuration, store: store, cluster: LaneCluster(network: network) { _, _ in },
        isAttending: { _ in false }, door: door,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Ends as a killed process does, as far as others see it: nothing is recorded or freed any more.
    func kill() {
      store.close()
      delivery.shutDown()
    }

    func end() {
      delivery.shutDown()
      store.close()
    }
  }

  private static let members = (1...3).map {
    ClusterMember(
      id: ServerID(rawValue: UInt64($0) &* 0x9e37_79b9_7f4a_7c15), slot: UInt16($0), name: "")
  }

  @Test("servers share the lanes; when one dies, another continues: none is lost, each in order")
  func owners() throws {
    let postgreSQL = try PostgreSQLServer()
    defer { try? postgreSQL.remove() }
    let peer = try PushPeer { _, _ in .status(200) }
    defer { peer.stop() }
    let ring = ServerRing(live: Self.members)
    let servers = try Self.members.map { try Server($0, ring, postgreSQL.url, peer) }
    let talk = try Talk(in: servers[2].store, channels: 12)
    try talk.say(20)
    try Deadline.in(seconds: 120).wait(for: "half of the pushes") { peer.requests.count >= 120 }
    servers[0].kill()
    let left = ServerRing(live: Array(Self.members.dropFirst()))
    for server in servers.dropFirst() { server.network.show(left) }
    try talk.say(20)
    try Deadline.in(seconds: 120).wait(for: "the end of all jobs") {
      try servers[2].store.now(PushBacklogCount(in: .everything)).count == 0
    }
    var got: [String: [Int64]] = [:]
    for request in peer.requests {
      let parley = try request.json()["parley"]
      guard let url = parley?["channel_url"]?.string, let id = parley?["message_id"]?.integer
      else { throw TestFailure("a push without a message") }
      if got[url]?.contains(id) != true { got[url, default: []].append(id) }
    }
    for (url, ids) in talk.ids { #expect(got[url] == ids, "\(url)") }
    for server in servers.dropFirst() { server.end() }
  }

  /// Messages of `ann` in groups with `bob`, who has one device.
  private final class Talk {
    private(set) var ids: [String: [Int64]] = [:]
    private let store: Store
    private let answers = LogAnswers()
    private var groups: [LogChannel] = []
    private var lastID: Int64 = 100

    init(in store: Store, channels: Int) throws {
      self.store = store
      for id in ["ann", "bob"] { _ = try store.now(UserCreation(User(id: id), at: 1)) }
      let json = #"{"type":"apns","token":"\#(String(repeating: "ab", count: 32))"}"#
      let call = try PushRegister(Fields(JSONDocument(Array(json.utf8)).root))
      try store.now(PushRegistration(call, of: "bob", at: 1))
      for number in 0..<channels {
        let channel = Channel(
          url: "group_\(number)", createdAt: 1, group: Group(createdBy: User(id: "ann")))
        let result = try answers.perform(.create(channel, epoch: "e", inviting: ["bob"]), in: store)
        guard case .success(.channel(let state)) = result else { throw TestFailure("\(result)") }
        groups.append(state.place)
      }
    }

    /// Sends messages to each group.
    func say(_ count: Int) throws {
      for _ in 0..<count {
        for group in groups {
          lastID += 1
          var message = UnsequencedMessage(
            Message(
              id: lastID, channelURL: group.url, user: User(id: "ann"), text: "x",
              createdAt: SystemClock.unixMilliseconds))
          message.isCounted = true
          message.pushes = PushIntent(nil)
          let result = try answers.perform(.write(.append(message), group), in: store)
          guard case .success(.appended) = result else { throw TestFailure("\(result)") }
          ids[group.url, default: []].append(lastID)
        }
      }
    }
  }
}
