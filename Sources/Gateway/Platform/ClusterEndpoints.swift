import Cluster
import ParleyProtocol
import ShardMessages
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

  /// `POST …/servers/{server_id}/drain`: has one server drain; again it changes nothing.
  static func drain(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    guard let id = ServerID(call.arguments["server_id"]),
      call.services.drainServer(id, askedBy: call.callerMetadata)
    else {
      throw ServiceError(.notFound, "there is no such server", field: "server_id")
    }
    completion { $0.object { _ in } }
  }
}

extension Shard {
  /// Counts the sessions of each server, by slot, without servers that do not answer in time.
  func countSessions(then completion: @escaping ([UInt16: Int64]) -> Void) {
    let others = edge?.otherServers ?? []
    let count = SessionCount(missing: others.count + 1, completion)
    ask(.connections, of: services.shards.handles) { [handle] in
      count.add($0, of: handle.address.server)
    }
    for server in others { ask(.connections, of: [], [server]) { count.add($0, of: server) } }
  }
}

/// Gathers the sessions of several servers; confined to its shard.
private final class SessionCount {
  private var missing: Int
  private var sessions: [UInt16: Int64] = [:]
  private let completion: ([UInt16: Int64]) -> Void

  init(missing: Int, _ completion: @escaping ([UInt16: Int64]) -> Void) {
    self.missing = missing
    self.completion = completion
  }

  /// Takes the answers of a server's shards; none when it has not answered.
  func add(_ answers: [ShardAnswer], of server: UInt16) {
    for case .connections(let counts) in answers {
      sessions[server, default: 0] += counts.reduce(0) { $0 + Int64($1.sessions) }
    }
    missing -= 1
    if missing == 0 { completion(sessions) }
  }
}
