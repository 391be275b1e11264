import Cluster
import ParleyProtocol
import Transport

/// The servers of the deployment, below `/v3/parley/cluster`.
enum ClusterEndpoints {
  /// `GET …?channel_url=`: the servers, and the home of a channel.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let longest = Limits.channelURLLengths.upperBound
    let home = try call.query.text("channel_url", limit: longest)
      .map(call.services.home(ofChannel:))
    completion { call.services.clusterStatus.encode(home: home, into: &$0) }
  }

  /// `POST …/servers/{server_id}/drain`: has one server drain; again it changes nothing.
  static func drain(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    guard let id = ServerID(call.arguments["server_id"]), call.services.drainServer(id) else {
      throw ServiceError(.notFound, "there is no such server", field: "server_id")
    }
    completion { $0.object { _ in } }
  }
}
