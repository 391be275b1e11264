/// The programs that have settings, each with its own selection of them.
package enum Program: Sendable, CaseIterable {
  /// `parleyd`.
  case gateway
  /// `parley-unfurl`.
  case unfurlService

  var table: SettingsTable {
    switch self {
    case .gateway: .gateway
    case .unfurlService: .unfurlService
    }
  }

  /// Whether a reload applies a new value of a setting.
  package func changesOnReload(_ name: String) -> Bool {
    table.definition(named: name)?.adoption == .reload
  }

  /// Whether any program has this setting: the programs may share one file and one environment.
  static func someHasSetting(named name: String) -> Bool {
    allCases.contains { $0.table.definition(named: name) != nil }
  }

  /// Whether any program has a setting with this environment variable.
  static func someHasSetting(variable: String) -> Bool {
    allCases.contains { $0.table.definition(variable: variable) != nil }
  }
}
