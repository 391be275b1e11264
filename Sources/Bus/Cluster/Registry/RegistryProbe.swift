package import Cluster
package import PostgreSQL

/// A check of a cluster's registry without joining the cluster.
package enum RegistryProbe {
  /// The settings in which running servers differ from this one.
  ///
  /// Changes nothing; a database without a registry has no servers.
  ///
  /// - Parameter own: This server, if it is running.
  /// - Throws: `PostgreSQLError`.
  package static func differences(
    _ options: ClusterOptions, besides own: ServerID? = nil
  ) throws(PostgreSQLError) -> [SettingDifference] {
    var settings = PostgreSQLConnection.Options()
    settings.applicationName = "parley check"
    settings.connectTimeout = 3
    settings.answerTimeout = Int(options.timing.registryAnswer)
    let connection = try PostgreSQLConnection(options.registryURL, settings)
    let isThere = try connection.execute("SELECT to_regclass('servers') IS NOT NULL")
    guard isThere.integer(0, 0) == 1 else { return [] }
    let left = own.map(PostgreSQLValue.id) ?? .integer(0)
    return options.differences(
      try connection.execute(RegistryStatements.differences, options.comparedSettings + [left]))
  }
}
