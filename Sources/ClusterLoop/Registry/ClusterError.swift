package import PostgreSQL

/// An error of a server with its cluster.
package enum ClusterError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The registry cannot be reached, or refuses.
  case registry(PostgreSQLError)
  /// Servers that run have other values.
  case settingsDiffer([SettingDifference])
  /// All numbers are in use.
  case full
  /// The system has no thread or descriptor left.
  case system(String)

  package var description: String {
    switch self {
    case .registry(let error): "the cluster's registry: \(error)"
    case .settingsDiffer(let differences):
      "settings differ from those of other servers: "
        + differences.map { "\($0.setting) (\($0.server))" }.joined(separator: ", ")
    case .full: "the cluster has as many servers as it can"
    case .system(let reason): reason
    }
  }
}

/// A setting that another server has otherwise.
package struct SettingDifference: Sendable, Equatable {
  package let setting: String
  /// The other server's name.
  package let server: String

  package init(setting: String, server: String) {
    self.setting = setting
    self.server = server
  }
}
