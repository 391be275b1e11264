/// Counts of frames on the bus.
package struct ClusterTraffic: Sendable, Equatable {
  package var sentFrames: UInt64 = 0
  package var sentBytes: UInt64 = 0
  package var receivedFrames: UInt64 = 0
  package var receivedBytes: UInt64 = 0
  /// Frames without a valid code of the cluster's secret.
  package var forgedFrames: UInt64 = 0
  /// Frames of an unsupported version.
  package var otherVersionFrames: UInt64 = 0
  /// Malformed frames.
  package var malformedFrames: UInt64 = 0
  /// Frames of other deployments, which use the same bus and the same name.
  package var foreignFrames: UInt64 = 0
  /// The deployment of the last such frame.
  package var foreignDeployment: UInt64?
  /// Beats of servers that are not in the registry as last read: those that joined since, and those
  /// of a deployment with a copy of the database.
  package var strangeBeats: UInt64 = 0
  /// Frames for another server, such as an earlier start of this one.
  package var misdirectedFrames: UInt64 = 0

  package init() {}

  mutating func note(_ error: FrameError) {
    switch error {
    case .forged: forgedFrames += 1
    case .otherVersion: otherVersionFrames += 1
    case .foreign(let deployment):
      foreignFrames += 1
      foreignDeployment = deployment
    case .truncated, .excessive, .invalidValue: malformedFrames += 1
    }
  }
}

/// The counts and states of a server in its cluster at one moment.
package struct ClusterFigures: Sendable, Equatable {
  package var traffic: ClusterTraffic
  package var links: LinkCounters
  /// Links that are open at both ends.
  package var openLinks = 0
  /// Unconfirmed bytes.
  package var keptBytes = 0
  /// The servers that are not dead, according to the registry.
  package var servers: [ServerRecord] = []
  /// Servers that ended within the last minutes, the last one first.
  package var lostServers: [LostServer] = []
  /// Milliseconds since this server's last beat came back from the bus, or else since the start.
  package var echoAge: Int64 = 0
  /// Whether the bus has ever carried a beat of this server.
  package var hasHeardBus = false
  /// Whether this server has left the cluster.
  package var hasLeft = false
  /// Why clients should use another server; `nil` while this one is no worse off than the others.
  package var unreadiness: Unreadiness? = .noHome
  package var isReady: Bool { unreadiness == nil }
  /// Milliseconds to add to the local steady clock to get the registry's Unix time; `nil` until the
  /// registry has answered a beat.
  package var clockOffset: Int64?
  /// The reason why the bus is down; `nil` while it is up.
  package var busFault: String?

  package init(traffic: ClusterTraffic = ClusterTraffic(), links: LinkCounters = LinkCounters()) {
    self.traffic = traffic
    self.links = links
  }
}
