import Channels
import Configuration
import Dispatch
import Glibc
import Logging
import ParleyProtocol
import Reactor
import Synchronization
import TestSupport
import Testing
import HTTP

@testable import Gateway
@testable import Store
@testable import Transport
import TestPeers

/// A shard without a thread: the test says when a turn ends.
final class DrivenShard {
  let shard: Shard
  private let directory: TemporaryDirectory

  init(_ adjust: (inout Settings) -> Void = { _ in }) throws {
    directory = try TemporaryDirectory()
    var settings = Settings()
    settings.dataDirectory = directory.path
    settings.unfurl.mode = .off
    // A list ends at its limit alone, however slow the machine is.
    settings.limits.queryMilliseconds = 0
    adjust(&settings)
    let shards = ShardSet([try ShardHandle(index: 0)])
    let services = try GatewayServices(
      GatewayPlan(settings), shards: shards,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    services.serve()
    shard = try Shard(handle: shards[0], services: services)
  }

  deinit {
    shard.transport.forEachConnection { $0.drop() }
    endTurn()
    shard.services.store.close()
  }

  /// Does what was posted, fans out and flushes.
  func endTurn() {
    while shard.loop.endOfTurn() == .unfinished {}
  }

  /// Takes a connection in and upgrades it.
  func connect() throws -> DrivenSession {
    try shard.connect { endTurn() }
  }

  /// Changes the store and waits for it.
  func write(_ job: @escaping @Sendable (WriteTransaction) throws -> Void) throws {
    let done = DispatchSemaphore(value: 0)
    shard.services.store.write(job) { result in
      if case .failure(let error) = result { Issue.record(error) }
      done.signal()
    }
    try Deadline.standard.wait(for: "a write", on: done)
  }

  /// Reads the store and waits for it.
  func read<T: Sendable>(_ job: @escaping @Sendable (ReadTransaction) throws -> T) throws -> T {
    let done = DispatchSemaphore(value: 0)
    let outcome = Mutex<Result<T, any Error>?>(nil)
    shard.services.store.lookUp(job) { result in
      outcome.withLock { $0 = result }
      done.signal()
    }
    try Deadline.standard.wait(for: "a look-up", on: done)
    return try #require(outcome.withLock { $0 }).get()
  }

  /// A channel in memory that keeps no messages.
  func channel(
    _ url: String = "lobby", operators: [String] = [], recentSends: [RecentSend] = [],
    _ adjust: (inout ChannelState) -> Void = { _ in }
  ) -> ChannelHost {
    let record = Channel(
      url: url, isEphemeral: true, operators: operators.map { User(id: $0) }, createdAt: 0)
    var state = ChannelState(id: 1, channel: record, epoch: "epoch")
    adjust(&state)
    let loaded = LoadedChannel(state: state, recentSends: recentSends, time: shard.services.now)
    let channel = ChannelHost(loaded, number: 1, shard: shard)
    channel.open()
    return channel
  }
}

extension Shard {
  /// Takes a connection in and upgrades it.
  func connect(_ endTurn: () -> Void) throws -> DrivenSession {
    let known = Set(sessions.all.map(\.reference.connectionID))
    let (ours, theirs) = try socketPair()
    try Connection.open(descriptor: ours, tls: nil, tag: 0, transport: transport)
    let request = """
      GET /v1/ws HTTP/1.1\r
      Host: localhost\r
      Upgrade: websocket\r
      Connection: Upgrade\r
      Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
      Sec-WebSocket-Version: 13\r
      \r

      """
    let sent = Array(request.utf8).withUnsafeBytes { Socket.send(theirs, $0) }
    try #require(sent == .transferred(request.utf8.count))
    transport.forEachConnection { connection in
      if connection.descriptor == ours { connection.descriptorIsReady(for: .readable) }
    }
    endTurn()
    let id = try #require(Set(sessions.all.map(\.reference.connectionID)).subtracting(known).first)
    let session = DrivenSession(
      session: try #require(sessions[id]), descriptor: theirs)
    _ = session.readAll()
    return session
  }
}

extension ChannelHost {
  /// Lets a connection in that is nowhere.
  func seat(_ session: SessionAddress, user: String) {
    let address = ReplyAddress(
      session: session, ticket: CallTicket(unit: 0, index: 0), id: nil, isPaid: true)
    let principal = SessionPrincipal(user: User(id: user), session: session)
    enter(EnterRequest(principal: principal, recover: nil, address: address))
  }
}

/// A session of a ``DrivenShard`` with its client's end of the connection.
final class DrivenSession {
  let session: Session
  let reference: SessionAddress
  private let descriptor: Int32
  private var endpoint = WebSocketEndpoint(role: .client(maskingKey: { 1 }))
  private let deflate = DeflateWorkspace()

  init(session: Session, descriptor: Int32) {
    self.session = session
    self.descriptor = descriptor
    reference = session.reference
  }

  deinit {
    hangUp(descriptor)
  }

  /// What the client has been sent since the last call.
  func receive() -> [WebSocketEvent] {
    var output = WebSocketOutput()
    endpoint.receive(readAll().span, using: deflate, into: &output)
    return output.events
  }

  /// The texts that the client has been sent since the last call.
  func receiveTexts() -> [String] {
    receive().compactMap { event in
      guard case .text(let bytes) = event else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  func readAll() -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case .transferred(let count) = buffer.withUnsafeMutableBytes({
      Socket.receive(descriptor, into: $0)
    }) {
      bytes += buffer[..<count]
    }
    return bytes
  }
}
