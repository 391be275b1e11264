/// The programs that have settings, each its own selection of them.
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

  /// Whether a reload adopts another value of a setting.
  package func changesOnReload(_ name: String) -> Bool {
    table.definition(named: name)?.adoption == .reload
  }

  /// Whether any of the programs has this setting: one file and one environment may serve them all.
  static func someHasSetting(named name: String) -> Bool {
    allCases.contains { $0.table.definition(named: name) != nil }
  }

  /// Whether any of the programs has a setting with this environment variable.
  static func someHasSetting(variable: String) -> Bool {
    allCases.contains { $0.table.definition(variable: variable) != nil }
  }
}
