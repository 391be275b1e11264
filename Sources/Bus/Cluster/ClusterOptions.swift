package import Cluster

/// The settings of a server in its cluster.
package struct ClusterOptions: Sendable {
  /// The cluster's database, in libpq syntax.
  package var registryURL: String
  /// The cluster's name, which is the prefix of its inboxes (`cluster.name`).
  package var clusterName = "parley"
  /// The server's display name.
  package var serverName: String
  /// The program's version, for display.
  package var version: String
  /// The secret shared by the cluster's servers only (`cluster.secret`).
  package var secret: [UInt8]?
  package var timing = MembershipTiming()
  /// The supported versions of data frames and of the messages in them.
  package var versions = LinkVersions.current
  /// Digests of the settings that must be equal on all servers.
  package var agreement: [String: String] = [:]
  /// The values of those settings that errors may show.
  package var shownSettings: [String: String] = [:]

  package init(registryURL: String, serverName: String, version: String) {
    self.registryURL = registryURL
    self.serverName = serverName
    self.version = version
  }
}
