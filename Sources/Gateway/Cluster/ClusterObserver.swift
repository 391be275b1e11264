import Cluster

/// The cluster as the Platform API, the metrics and the health check see it.
///
/// A server that is alone has none. All of it is callable from any thread and never waits.
protocol ClusterObserver: AnyObject, Sendable {
  /// All servers that the registry holds, in the order of their slots, and behind them those that have
  /// ended within the last minutes, the last one first.
  var servers: [ClusterStatus.Server] { get }
  /// This server.
  var local: ServerID { get }
  var bus: ClusterStatus.Bus { get }
  var counters: ClusterCounters { get }

  /// The reason why clients should go to another server; `nil` when there is none.
  ///
  /// There is one until the server is registered and sees a complete ring, and while it alone hears
  /// nothing of the bus or reaches no database that takes writes. A bus or a database that fails for
  /// all servers alike is no reason: clients would find no better server.
  var unreadiness: String? { get }

  /// The server on which a channel is judged.
  func home(ofChannel url: String) -> ServerID

  /// Makes this server a home no longer: its channels and users move to the others.
  func drain()
}

/// Counts of what happened in the cluster since the start, for metrics.
struct ClusterCounters: Sendable, Equatable {
  /// Numbers of a link that were missing when a later one came.
  var linkGaps: UInt64 = 0
  /// Gaps that the sender closed from what it had kept.
  var linkRefills: UInt64 = 0
  /// Links that began anew, since what was missing was not kept.
  var linkResets: UInt64 = 0
  /// Frames dropped because their signature is wrong or missing.
  var forgedFrames: UInt64 = 0
  /// Frames and messages dropped because they cannot be decoded, or are of an unknown version.
  var unreadableFrames: UInt64 = 0
  /// Frames dropped because they are of another deployment.
  var foreignFrames: UInt64 = 0
  /// Channels that this server read to judge them: it does not know whether another had them before.
  var channelLoads: UInt64 = 0
  /// Writes that changed nothing because another server had taken the channel over.
  var fencedWrites: UInt64 = 0
  /// Calls that were answered with `data.outcome: "unknown"`.
  var unknownOutcomes: UInt64 = 0
}
