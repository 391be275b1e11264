import Cluster
import Configuration
import Glibc
import Logging
import Reactor
import Store
import Telemetry

extension GatewayServices {
  /// This server.
  var serverID: ServerID { cluster?.local ?? lone.id }

  /// The servers, as this one sees them.
  ///
  /// - Parameter sessions: The session counts of the servers that have reported them, by slot.
  func clusterStatus(sessions: [UInt16: Int64]) -> ClusterStatus {
    let problem: String? = if case .failing(let reason) = store.health { reason } else { nil }
    return ClusterStatus(
      clusterName: settings.cluster.name, local: serverID,
      servers: cluster?.servers.map { $0.counting(sessions[$0.slot]) } ?? [loneServer],
      bus: cluster?.bus ?? .none,
      database: ClusterStatus.Database(
        engine: settings.store.engine.rawValue, problem: problem))
  }

  /// The server on which a channel is judged.
  func home(ofChannel url: String) -> ServerID { cluster?.home(ofChannel: url) ?? serverID }

  /// This server, when there is no cluster.
  private var loneServer: ClusterStatus.Server {
    let state: ClusterStatus.State =
      switch stage {
      case .starting: .joining
      case .serving: .live
      case .draining: .draining
      }
    return ClusterStatus.Server(
      id: lone.id, slot: 0, name: lone.name, version: Release.version, state: state,
      hearsBus: true, startedAt: lone.startedAt, beatAge: 0, sessions: total(.sessions))
  }

  /// Begins to drain at the request of a Platform API caller.
  ///
  /// - Parameter caller: The token and address of the caller, as far as they are known.
  func drainOnRequest(askedBy caller: Logger.Metadata) {
    if stage == .serving {
      let reason: Logger.Metadata = ["reason": "requested by the Platform API"]
      logger.notice("draining", metadata: reason.merging(caller) { $1 })
    }
    drain()
  }

  /// The sum of a gauge over all shards.
  func total(_ gauge: GatewayGauge) -> Int64 {
    metrics.gauges.reduce(0) { $0 + Int64($1.value(of: gauge)) }
  }
}

/// A server that is in no cluster, from its start to its end.
struct LoneServer: Sendable {
  let id = ServerID(rawValue: .random(in: 1...(.max)))
  let name: String
  /// Unix milliseconds.
  let startedAt = SystemClock.unixMilliseconds

  init(_ settings: ClusterSettings) { name = settings.serverName ?? Machine.name }
}

/// The machine that the process runs on.
enum Machine {
  /// The machine's host name, at most 64 bytes.
  static var name: String {
    var buffer = [CChar](repeating: 0, count: 65)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
