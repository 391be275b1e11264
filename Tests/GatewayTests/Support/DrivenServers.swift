import Channels
import Cluster
import Configuration
import Crypto
import HTTP
import Logging
import ParleyProtocol
import Synchronization
import TestPeers
import TestSupport
import Testing

@testable import Gateway
@testable import Reactor
@testable import Store
@testable import Transport

/// Several servers with one store, whose shards have no threads.
///
/// The test says when messages cross from server to server, and may lose them.
final class DrivenServers {
  /// One server.
  final class Server {
    let network: DrivenNetwork
    let inbox: ClusterInbox
    let shards: [Shard]
    /// Answers to HTTP requests, which have no connections here, by number.
    fileprivate(set) var exchanges: [UInt64: CallOutcome] = [:]

    fileprivate init(_ network: DrivenNetwork, _ inbox: ClusterInbox, _ shards: [Shard]) {
      self.network = network
      self.inbox = inbox
      self.shards = shards
    }

    var services: GatewayServices { shards[0].services }
    var id: ServerID { network.local.id }
    var slot: UInt16 { network.local.slot }
  }

  let servers: [Server]
  /// Decides which messages between servers get lost.
  var isLost: (_ message: ShardMessage, _ sender: ServerID, _ receiver: ServerID) -> Bool = {
    _, _, _ in false
  }
  /// Decides which links keep what is sent for later.
  var isHeld: (_ sender: ServerID, _ receiver: ServerID) -> Bool = { _, _ in false }
  private var held: [(bytes: [UInt8], sender: Server, receiver: ServerID)] = []
  private(set) var ring: ServerRing
  private let store: Store
  private let directories: [TemporaryDirectory]
  private var lastExchange: UInt64 = 0

  /// - Parameters:
  ///   - databaseURL: A database in PostgreSQL, where servers announce changes to each other; `nil` for
  ///     SQLite.
  init(
    count: Int, shards shardCount: Int = 2, databaseURL: String? = nil,
    _ adjust: (inout Settings) -> Void = { _ in }
  )
    throws
  {
    directories = try (0...count).map { _ in try TemporaryDirectory() }
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    var settings = Settings()
    settings.unfurl.mode = .off
    settings.auth.apiToken = Secret("token")
    // A call of a slow machine must not run out of time.
    settings.cluster.callTimeoutMilliseconds = 600_000
    adjust(&settings)
    var options = StoreOptions(logger: logger)
    // A list ends at its limit alone, however slow the machine is.
    options.queryMilliseconds = 0
    options.sharing = databaseURL == nil ? .alone : .shared
    // The jobs stay in the store.
    if settings.push.isOn { options.push = PushJobOptions { _ in } }
    let place: StorePlace =
      databaseURL.map { .postgreSQL(url: $0) } ?? .directory(directories[count].path)
    let store = try Store(place, options: options)
    self.store = store
    let members = (0..<count).map { number in
      ClusterMember(
        id: ServerID(rawValue: UInt64(number + 1) &* 0x9e37_79b9_7f4a_7c15),
        slot: UInt16(number + 3), name: "server-\(number)")
    }
    let ring = ServerRing(live: members)
    self.ring = ring
    servers = try zip(members, directories).map { member, directory in
      settings.dataDirectory = directory.path
      let network = DrivenNetwork(member, in: ring)
      let inbox = ClusterInbox(
        callTimeout: settings.cluster.callTimeoutMilliseconds, logger: logger)
      let set = try ShardSet(count: shardCount, network: network)
      let services = try GatewayServices(
        GatewayPlan(settings), set, store: store, options.sharing, inbox.figures, logger)
      services.serve()
      inbox.open(set, network)
      return Server(
        network, inbox, try set.handles.map { try Shard(handle: $0, services: services) })
    }
  }

  deinit {
    for shard in servers.flatMap(\.shards) {
      shard.transport.forEachConnection { $0.drop() }
      while shard.loop.endOfTurn() == .unfinished {}
    }
    store.close()
  }

  // MARK: Turns

  /// Has every shard take a turn, and what was sent between servers arrive.
  func turn() {
    for server in servers {
      for shard in server.shards {
        shard.loop.fireTimers(at: SystemClock.monotonicMilliseconds)
        for mail in shard.handle.mailbox.takeAll(reusing: []) {
          if case .message(.exchange(let address, let outcome)) = mail {
            server.exchanges[address.number] = shard.edge?.calls.accept(outcome, .exchange(address))
          } else {
            shard.workOn(mail)
          }
        }
        while shard.finishTurn() == .unfinished {}
      }
    }
    for server in servers {
      held += server.network.takeSent().map { ($0.message, server, $0.receiver) }
    }
    let waiting = held
    held = waiting.filter { isHeld($0.sender.id, $0.receiver) }
    for (bytes, sender, receiver) in waiting where !isHeld(sender.id, receiver) {
      deliver(bytes, sender, receiver)
    }
  }

  private func deliver(_ bytes: [UInt8], _ sender: Server, _ receiver: ServerID) {
    guard let target = servers.first(where: { $0.id == receiver }),
      ring.member(receiver) != nil, ring.member(sender.id) != nil,
      let message = try? RelayedMessage(decoding: bytes).message,
      !isLost(message, sender.id, receiver)
    else { return }
    target.inbox.received(bytes, from: sender.id)
  }

  /// Has the servers take turns until a condition holds, and a few more.
  func turns(until isDone: () throws -> Bool) throws {
    var problem: (any Error)?
    try Deadline.standard.wait(for: "the servers to be done") {
      do {
        turn()
        return try isDone()
      } catch {
        problem = error
        return true
      }
    }
    if let problem { throw problem }
    for _ in 0..<6 { turn() }
  }

  /// Has all arrive that was sent, and what follows from it without the store.
  func settle() { for _ in 0..<12 { turn() } }

  // MARK: The cluster

  /// Goes on with some of the servers; the others are not reached any more.
  ///
  /// - Parameter pause: Called before each of them learns of it.
  func keep(_ kept: [Int], pause: () -> Void = {}) {
    ring = ServerRing(live: kept.map { servers[$0].network.local })
    for index in kept {
      pause()
      show(ring, to: index)
    }
  }

  /// Shows a ring to one server.
  func show(_ ring: ServerRing, to server: Int) {
    servers[server].network.ring = ring
    servers[server].inbox.ringDidChange(ring)
  }

  /// Has the database lose the last event of a channel, a message.
  func loseLastEvent(of url: String) throws {
    let isDone = Mutex(false)
    store.write { transaction in
      for sql: StoreStatement in [
        """
        DELETE FROM messages WHERE channel_id = (SELECT channel_id FROM channels WHERE url = ?1)
          AND seq = (SELECT last_seq FROM channels WHERE url = ?1)
        """,
        "UPDATE channels SET last_seq = last_seq - 1 WHERE url = ?1",
      ] { try transaction.connection.execute(sql, [url]) }
    } completion: { _ in
      isDone.withLock { $0 = true }
    }
    try turns { isDone.withLock(\.self) }
  }

  /// Has the servers know that they have connected to the database anew.
  func reconnectStores() {
    for shard in servers.flatMap(\.shards) { shard.handle.post(.local(.storeReconnected)) }
    for _ in 0..<50 { turn() }
  }

  /// Has the stages of a channel attach that wait for the time of another attempt.
  func attachStages(of url: String) {
    for shard in servers.flatMap(\.shards) { shard.stages[url]?.attach() }
    settle()
  }

  /// Reports on both sides that messages were lost.
  func reset(_ first: Int, _ second: Int) {
    let ids = [servers[first].id, servers[second].id]
    held.removeAll { ids.contains($0.sender.id) && ids.contains($0.receiver) }
    for (here, there) in [(first, second), (second, first)] {
      let count = servers[here].network.reset(to: servers[there].id)
      servers[here].inbox.linkWasReset(with: servers[there].id, count: count)
    }
  }

  /// A name of a channel that is at home on a server.
  func channel(at server: Int, _ stem: String = "room") -> String {
    name(stem) { ring.home(ofChannel: $0).id == servers[server].id }
  }

  /// An id of a user who is at home on a server.
  func user(at server: Int, _ stem: String = "user") -> String {
    name(stem) { ring.home(ofUser: $0).id == servers[server].id }
  }

  private func name(_ stem: String, _ fits: (String) -> Bool) -> String {
    (1...10_000).lazy.map { "\(stem)-\($0)" }.first(where: fits) ?? stem
  }

  // MARK: Clients

  /// Opens a session on a server.
  func open(_ userID: String, on server: Int, shard: Int = 0) throws -> DrivenClient {
    let client = try connect(userID, on: server, shard: shard)
    _ = try client.call("session.open", #""user_id":"\#(userID)""#)
    // The next session is a later one.
    let clock = servers[server].services.clock
    let now = clock.now
    while clock.now == now {}
    return client
  }

  /// Connects a client that opens no session.
  func connect(_ userID: String, on server: Int, shard: Int = 0) throws -> DrivenClient {
    DrivenClient(try servers[server].shards[shard].connect { turn() }, of: self, userID)
  }

  /// Calls the Platform API on a server, about a channel.
  func platform(
    _ method: String, _ target: String, _ body: String = "", inChannel url: String, on server: Int
  ) throws -> CallOutcome {
    let shard = servers[server].shards[0]
    let exchange = exchange(on: shard)
    let request = PlatformRequest(
      method: method, target: "/v3/open_channels/\(url)\(target)", body: Array(body.utf8),
      caller: TokenDigest(of: "token").bytes, exchange: exchange)
    shard.send(.channel(url: url, .platform(request)))
    return try answer(to: exchange, on: server)
  }

  /// Calls an endpoint that works on the server of the request.
  func platform(
    _ endpoint: PlatformEndpoint, _ arguments: PathArguments = PathArguments(),
    _ query: String = "",
    _ body: String = "", about kind: ChannelKind? = nil, on server: Int
  ) throws -> CallOutcome {
    let shard = servers[server].shards[0]
    let exchange = exchange(on: shard)
    let call = PlatformCall(
      shard: shard, address: exchange, caller: TokenDigest(of: "token"), about: kind,
      arguments: arguments,
      query: try #require(QueryParameters(query)), body: Array(body.utf8))
    try endpoint(call, call.completion)
    return try answer(to: exchange, on: server)
  }

  private func exchange(on shard: Shard) -> ExchangeAddress {
    lastExchange += 1
    return ExchangeAddress(
      shard: shard.handle.address, connection: 9_999, number: lastExchange)
  }

  private func answer(to exchange: ExchangeAddress, on server: Int) throws -> CallOutcome {
    try turns { servers[server].exchanges[exchange.number] != nil }
    return try #require(servers[server].exchanges[exchange.number])
  }
}

extension CallOutcome {
  /// The body of the answer, or the number of the error.
  var text: String {
    switch self {
    case .success(let body): String(decoding: body, as: UTF8.self)
    case .failure(let error): "\(error.code.rawValue)"
    }
  }
}

extension GatewayServices {
  /// The services of one of several servers with one store.
  fileprivate convenience init(
    _ plan: GatewayPlan, _ shards: ShardSet, store: Store, _ sharing: StoreSharing,
    _ figures: RelayCounts, _ logger: Logger
  ) throws {
    let settings = plan.settings
    let controlLog: ControlLog? =
      switch sharing {
      case .alone: nil
      case .shared: try ControlLog(store)
      }
    let files = try FileStore(DirectoryDepot(dataDirectory: settings.dataDirectory))
    self.init(
      settings: settings, shards: shards, store: store, files: files,
      vault: try FileVault(
        settings, store: store, files: files, sharing: sharing, logger: logger),
      previews: nil,
      webhooks: nil,
      participantCounts: ParticipantCounts(),
      authenticator: Authenticator(
        settings.auth.mode, try TokenKeys(settings, plan.verifiers, logger: logger),
        store: store, sharing: sharing),
      apiTokens: try APITokens(settings, issued: IssuedAPITokens([])),
      limits: LimitTable(settings.limits, try store.performNow(SharedLimits())),
      messageIDs: MessageIDs(
        after: try store.performNow(LargestMessageID()), slot: shards.slot),
      metrics: GatewayMetrics(shards: shards.count + 2), relayCounts: figures,
      descriptors: DescriptorPlan(limit: 100_000), controlLog: controlLog, logger: logger)
  }
}

extension PathArguments {
  /// The values of a path.
  init(_ values: [String: String]) {
    self.init()
    for (name, value) in values { append(name, value) }
  }
}

/// A client of one of ``DrivenServers``.
final class DrivenClient {
  let session: DrivenSession
  let userID: String
  /// Events that were received, as texts.
  private(set) var events: [String] = []
  private(set) var closeCode: CloseCode?
  private unowned let servers: DrivenServers
  private var replies: [Int: String] = [:]
  /// The calls that were answered more than once.
  private(set) var doubledReplies: [Int] = []
  private var lastNumber = 0

  fileprivate init(_ session: DrivenSession, of servers: DrivenServers, _ userID: String) {
    self.session = session
    self.servers = servers
    self.userID = userID
  }

  /// Makes a call and waits for its reply.
  func call(_ method: String, _ params: String = "") throws -> String {
    let number = begin(method, params)
    return try reply(to: number)
  }

  /// Makes a call.
  ///
  /// - Returns: Its number.
  func begin(_ method: String, _ params: String = "") -> Int {
    lastNumber += 1
    let text =
      #"{"jsonrpc":"2.0","id":\#(lastNumber),"method":"\#(method)","params":{\#(params)}}"#
    session.session.connection(
      session.session.connection, received: .text(Array(text.utf8)))
    return lastNumber
  }

  /// Waits for the reply to a call.
  func reply(to number: Int) throws -> String {
    try #require(try replyUnlessClosed(to: number))
  }

  /// Waits for the reply to a call, or for the end of the connection.
  func replyUnlessClosed(to number: Int) throws -> String? {
    try servers.turns {
      receive()
      return replies[number] != nil || closeCode != nil
    }
    receive()
    return replies[number]
  }

  /// Whether the reply to a call has come.
  func hasReply(to number: Int) -> Bool { replies[number] != nil }

  /// The reply to a call, if it has come.
  func replyIfAny(to number: Int) -> String? { replies[number] }

  func enter(_ url: String) throws -> String {
    try call("channel.enter", #""channel_url":"\#(url)""#)
  }

  func say(_ text: String, in url: String) throws -> String {
    try call("message.send", #""channel_url":"\#(url)","message":"\#(text)""#)
  }

  /// Waits until an event has come that contains a text.
  func wait(for text: String) throws {
    try servers.turns {
      receive()
      return events.contains { $0.contains(text) }
    }
  }

  /// Takes in what the server has sent.
  func receive() {
    for event in session.receive() {
      switch event {
      case .text(let bytes): take(String(decoding: bytes, as: UTF8.self))
      case .closed(let code, _): closeCode = code
      case .binary, .ping, .pong, .failed: break
      }
    }
  }

  private func take(_ text: String) {
    guard !text.contains(#""method":"#), let match = text.firstMatch(of: /"id":([0-9]+)[,}]/),
      let number = Int(match.1)
    else { return events.append(text) }
    if replies.updateValue(text, forKey: number) != nil { doubledReplies.append(number) }
  }
}
