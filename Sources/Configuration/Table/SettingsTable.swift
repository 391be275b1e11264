/// The settings of one program, in the order in which they are listed.
///
/// Flags, environment variables, keys of the file, the help text and the printed defaults all come
/// from this one table.
struct SettingsTable: Sendable {
  /// Every setting that the program has.
  let all: [SettingDefinition]
  /// The settings when nothing is given.
  let defaults: Settings

  private let byName: [String: SettingDefinition]
  private let byFlag: [String: SettingDefinition]
  private let byVariable: [String: SettingDefinition]

  init(_ all: [SettingDefinition], defaults: Settings = Settings()) {
    self.all = all
    self.defaults = defaults
    byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    byFlag = Dictionary(all.map { ($0.flag, $0) }) { first, _ in first }
    byVariable = Dictionary(all.map { ($0.variable, $0) }) { first, _ in first }
  }

  /// The settings of `parleyd`.
  static let gateway = SettingsTable(
    listening + proxies + limits + auth + previews + fetching + webhooks + process)

  /// The settings of `parley-unfurl`: those of the gateway that concern it, by the same names.
  static let unfurlService = SettingsTable(
    [serviceListening, headTimeout, previewTimeout] + fetching + ending,
    defaults: .unfurlService)

  /// Finds a setting by its name.
  func definition(named name: String) -> SettingDefinition? { byName[name] }

  /// Finds a setting by its flag, dashes included.
  func definition(flag: String) -> SettingDefinition? { byFlag[flag] }

  /// Finds a setting by its environment variable.
  func definition(variable: String) -> SettingDefinition? { byVariable[variable] }
}
