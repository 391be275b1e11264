package import Cluster
package import PostgreSQL

/// A look at the registry of a cluster without joining it.
package enum RegistryProbe {
  /// The settings that servers which run have otherwise than this one would.
  ///
  /// Changes nothing; a database without a registry has no servers.
  ///
  /// - Parameter own: This server, if it runs.
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
