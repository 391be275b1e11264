import Cluster
import ParleyProtocol
import Channels
import Transport

/// The servers of the deployment, below `/v3/parley/cluster`.
enum ClusterEndpoints {
  /// `GET …?channel_url=`: the servers, and the home of a channel.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let longest = Limits.channelURLLengths.upperBound
    let home = try call.query.text("channel_url", limit: longest)
      .map(call.services.home(ofChannel:))
    call.shard.countSessions { [services = call.services] sessions in
      completion { services.clusterStatus(sessions: sessions).encode(home: home, into: &$0) }
    }
  }

  /// `POST …/servers/{server_id}/drain`: drains one server.
  ///
  /// Repeating the call has no effect.
  ///
  /// Another server has confirmed the drain before this call is answered.
  static func drain(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let services = call.services
    guard let id = ServerID(call.arguments["server_id"]) else { throw .noSuchServer }
    guard id != services.serverID else {
      services.drainOnRequest(askedBy: call.callerMetadata)
      return completion.empty(.success(()))
    }
    if let server = call.shard.edge?.routes.ring.member(id) {
      return call.shard.drain(server: server.slot) { completion.empty($0) }
    }
    let servers = services.cluster?.servers ?? []
    guard servers.contains(where: { $0.id == id && $0.end == nil }) else { throw .noSuchServer }
    throw .serverIsJoining
  }
}

extension ServiceError {
  fileprivate static let noSuchServer = ServiceError(
    .notFound, "there is no such server", field: "server_id")
  /// The server is in no ring yet.
  ///
  /// Nothing was changed.
  fileprivate static let serverIsJoining = ServiceError(
    .internalError, "the server is joining the cluster: try again in a moment")
  fileprivate static let drainIsUnknown = ServiceError(
    .internalError, "the server does not answer: it may be draining",
    data: ErrorDetails(outcome: "unknown"))
}

extension Shard {
  /// The time in which another server must confirm that it drains, in milliseconds.
  private static let drainTime: Int64 = 2_000

  /// Drains another server.
  ///
  /// The first shard of the server handles messages in order, so an answer to a later question shows
  /// that the drain message has arrived. Servers of every version answer this question.
  fileprivate func drain(
    server: UInt16, then completion: @escaping (Result<Void, ServiceError>) -> Void
  ) {
    let receiver = ShardAddress(server: server, shard: 0)
    send(.shard(receiver, .drainServer))
    poll(count: 1, within: Self.drainTime) { _, address in
      .shard(receiver, .ask(.connections, replyTo: address))
    } then: { answers in
      completion(answers.isEmpty ? .failure(.drainIsUnknown) : .success(()))
    }
  }

  /// Counts the sessions of each server, by slot, without servers that do not answer in time.
  func countSessions(then completion: @escaping ([UInt16: Int64]) -> Void) {
    let others = edge?.routes.otherServers ?? []
    let count = SessionCount(missing: others.count + 1, completion)
    ask(.connections, of: services.shards.handles) { [handle] in
      count.add($0, of: handle.address.server)
    }
    for server in others { ask(.connections, of: [], [server]) { count.add($0, of: server) } }
  }
}

/// The sum of the sessions of several servers.
///
/// Confined to its shard.
private final class SessionCount {
  private var missing: Int
  private var sessions: [UInt16: Int64] = [:]
  private let completion: ([UInt16: Int64]) -> Void

  init(missing: Int, _ completion: @escaping ([UInt16: Int64]) -> Void) {
    self.missing = missing
    self.completion = completion
  }

  /// Adds the answers of a server's shards; empty when the server did not answer.
  func add(_ answers: [ShardAnswer], of server: UInt16) {
    for case .connections(let counts) in answers {
      sessions[server, default: 0] += counts.reduce(0) { $0 + Int64($1.sessions) }
    }
    missing -= 1
    if missing == 0 { completion(sessions) }
  }
}
