package import PostgreSQL

/// An error while a server joins its cluster.
package enum ClusterError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The registry cannot be reached, or refuses the request.
  case registry(PostgreSQLError)
  /// Running servers have other values.
  case settingsDiffer([SettingDifference])
  /// All numbers are in use.
  case full
  /// The system has no thread or descriptor left.
  case system(String)

  package var description: String {
    switch self {
    case .registry(let error): "the cluster's registry: \(error)"
    case .settingsDiffer(let differences):
      "settings differ from those of other servers: \(differences.listing)"
    case .full: "the cluster has as many servers as it can"
    case .system(let reason): reason
    }
  }
}

/// A setting that differs on another server.
package struct SettingDifference: Sendable, Equatable {
  package let setting: String
  /// The other server's name.
  package let server: String
  /// This server's value; `nil` if it is not shown.
  package let value: String?
  /// The other server's value; `nil` if it is not shown.
  package let otherValue: String?

  package init(
    setting: String, server: String, value: String? = nil, otherValue: String? = nil
  ) {
    self.setting = setting
    self.server = server
    self.value = value
    self.otherValue = otherValue
  }

  /// The other server's value for display, with this server's for comparison.
  package var otherText: String {
    guard let value, let otherValue else { return "another value" }
    return "\(otherValue), not \(value)"
  }
}

extension [SettingDifference] {
  /// The settings in order, without duplicates.
  package var settings: [String] {
    reduce(into: []) { if $0.last != $1.setting { $0.append($1.setting) } }
  }

  /// Each setting once, with values and servers: `auth.api_token (a, b), limits.x (7 here, 5 on a)`.
  fileprivate var listing: String {
    settings.map { name in "\(name) (\(filter { $0.setting == name }.servers))" }
      .joined(separator: ", ")
  }

  /// The servers grouped by their values of one setting.
  private var servers: String {
    let own = first?.value
    var groups: [(value: String?, servers: [String])] = []
    for difference in self {
      if let index = groups.firstIndex(where: { $0.value == difference.otherValue }) {
        groups[index].servers.append(difference.server)
      } else {
        groups.append((difference.otherValue, [difference.server]))
      }
    }
    let others = groups.map { value, servers in
      let names = servers.joined(separator: ", ")
      return own == nil ? names : "\(value ?? "another value") on \(names)"
    }
    return ((own.map { ["\($0) here"] } ?? []) + others).joined(separator: ", ")
  }
}
