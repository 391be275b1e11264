import Cluster

/// The cluster as the Platform API, the metrics and the health check see it.
///
/// A standalone server has none. All members can be called from any thread and never block.
protocol ClusterObserver: AnyObject, Sendable {
  /// All servers in the registry by slot, followed by the servers that have ended within the last
  /// minutes, most recent first.
  var servers: [ClusterStatus.Server] { get }
  /// This server.
  var local: ServerID { get }
  var bus: ClusterStatus.Bus { get }
  var counters: ClusterCounters { get }

  /// The reason why clients should use another server; `nil` when there is none.
  ///
  /// There is one until the server is registered and sees a complete ring, and while this server
  /// alone cannot reach the bus or a writable database. A bus or a database that fails for all
  /// servers alike is no reason: clients would find no better server.
  var unreadiness: String? { get }

  /// The server on which a channel is judged.
  func home(ofChannel url: String) -> ServerID

  /// Stops this server from being a home: its channels and users move to other servers.
  func drain()
}

/// Counts of what happened in the cluster since the start, for metrics.
struct ClusterCounters: Sendable, Equatable {
  /// Message numbers of a link that were missing when a later one arrived.
  var linkGaps: UInt64 = 0
  /// Gaps that the sender filled from messages it had kept.
  var linkRefills: UInt64 = 0
  /// Links that were reset, because the missing messages were not kept.
  var linkResets: UInt64 = 0
  /// Frames dropped because their signature is wrong or missing.
  var forgedFrames: UInt64 = 0
  /// Frames and messages dropped because they cannot be decoded, or are of an unknown version.
  var unreadableFrames: UInt64 = 0
  /// Frames dropped because they are of another deployment.
  var foreignFrames: UInt64 = 0
  /// Channels that this server read to judge them, whether or not another server had them before.
  var channelLoads: UInt64 = 0
  /// Writes that changed nothing because another server had taken the channel over.
  var fencedWrites: UInt64 = 0
  /// Calls that were answered with `data.outcome: "unknown"`.
  var unknownOutcomes: UInt64 = 0
}
