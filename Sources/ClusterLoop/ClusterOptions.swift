package import Cluster

/// The settings of a server in its cluster.
package struct ClusterOptions: Sendable {
  /// The database of the cluster, as libpq takes it.
  package var registryURL: String
  /// The cluster's name, with which its inboxes begin (`cluster.name`).
  package var clusterName = "parley"
  /// The server's name, for people.
  package var serverName: String
  /// The program's version, for people.
  package var version: String
  /// The bytes that only the cluster's servers know (`cluster.secret`).
  package var secret: [UInt8]?
  package var timing = MembershipTiming()
  /// The versions of data frames, and of the messages in them, that this server speaks.
  package var versions = LinkVersions.current
  /// Digests of the settings that all servers must have alike.
  package var agreement: [String: String] = [:]
  /// The values of those settings that errors may show.
  package var shownSettings: [String: String] = [:]

  package init(registryURL: String, serverName: String, version: String) {
    self.registryURL = registryURL
    self.serverName = serverName
    self.version = version
  }
}
