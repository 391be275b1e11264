/// Counts of frames on the bus.
package struct ClusterTraffic: Sendable, Equatable {
  package var sentFrames: UInt64 = 0
  package var sentBytes: UInt64 = 0
  package var receivedFrames: UInt64 = 0
  package var receivedBytes: UInt64 = 0
  /// Frames without the code of the cluster's secret.
  package var forgedFrames: UInt64 = 0
  /// Frames of a version that is not spoken here.
  package var otherVersionFrames: UInt64 = 0
  /// Frames that make no sense.
  package var malformedFrames: UInt64 = 0
  /// Frames of other deployments, which use the same bus and the same name.
  package var foreignFrames: UInt64 = 0
  /// The deployment of the last of them.
  package var foreignDeployment: UInt64?
  /// Beats of servers that the registry does not have: those that are about to be read, and those of
  /// a deployment with a copy of the database.
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
  /// Links on which both ends speak.
  package var openLinks = 0
  /// Bytes that wait for confirmation.
  package var keptBytes = 0
  /// The servers that are not dead, as the registry has them.
  package var servers: [ServerRecord] = []
  /// Servers that have ended within the last minutes, the last one first.
  package var lostServers: [LostServer] = []
  /// Milliseconds since the last own beat came back from the bus; before the first, since the start.
  package var echoAge: Int64 = 0
  /// Whether the bus has carried a beat of this server, at any time.
  package var hasHeardBus = false
  /// Whether the cluster goes on without this server.
  package var hasLeft = false
  /// Why clients should go to another server; `nil` while this one is no worse off than the others.
  package var unreadiness: Unreadiness? = .noHome
  package var isReady: Bool { unreadiness == nil }
  /// Milliseconds to add to the local steady clock for the registry's Unix time; `nil` before the
  /// registry has answered a beat.
  package var clockOffset: Int64?
  /// The reason for which the bus is down; `nil` while it is up.
  package var busFault: String?

  package init(traffic: ClusterTraffic = ClusterTraffic(), links: LinkCounters = LinkCounters()) {
    self.traffic = traffic
    self.links = links
  }
}
