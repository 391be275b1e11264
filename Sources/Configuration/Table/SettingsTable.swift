/// All settings, in the order in which they are listed.
///
/// Flags, environment variables, keys of the file, the help text and the printed defaults all come
/// from this one table.
enum SettingsTable {
  static let all = listening + limits + auth + previews + fetching + process

  /// Finds a setting by its name.
  static func definition(named name: String) -> SettingDefinition? { byName[name] }

  /// Finds a setting by its flag, dashes included.
  static func definition(flag: String) -> SettingDefinition? { byFlag[flag] }

  /// Finds a setting by its environment variable.
  static func definition(variable: String) -> SettingDefinition? { byVariable[variable] }

  private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
  private static let byFlag = Dictionary(all.map { ($0.flag, $0) }) { first, _ in first }
  private static let byVariable = Dictionary(all.map { ($0.variable, $0) }) { first, _ in first }
}
