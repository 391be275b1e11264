/// What one source says: values of known settings, and what was wrong with the rest.
struct SettingsReading {
  /// The values that one place gives to a setting.
  struct Given {
    let definition: SettingDefinition
    var values: [String]
    let source: SettingSource
  }

  private(set) var given: [Given] = []
  var problems: [SettingsProblem] = []
  /// The configuration file that the source names.
  var file: String?

  /// Notes a value.
  ///
  /// Lists that are given several times add up; of anything else the last counts.
  mutating func give(
    _ definition: SettingDefinition, _ values: [String], from source: SettingSource
  ) {
    let new = Given(definition: definition, values: values, source: source)
    guard let index = given.firstIndex(where: { $0.definition.name == definition.name }) else {
      given.append(new)
      return
    }
    switch definition.shape {
    case .list: given[index].values += values
    case .single, .toggle: given[index] = new
    }
  }

  /// Notes a text, taken apart at its commas when the setting is a list.
  mutating func give(_ definition: SettingDefinition, text: String, from source: SettingSource) {
    give(definition, Self.values(of: text, for: definition), from: source)
  }

  mutating func refuse(
    _ setting: String, _ explanation: String, value: String? = nil, from source: SettingSource
  ) {
    problems.append(
      SettingsProblem(setting: setting, source: source, value: value, explanation: explanation))
  }

  private static func values(of text: String, for definition: SettingDefinition) -> [String] {
    guard case .list = definition.shape else { return [text] }
    guard text.contains(where: { !$0.isWhitespace }) else { return [] }
    return text.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
  }

  private static func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0 == " " || $0 == "\t" }
    let spaces = start.reversed().prefix { $0 == " " || $0 == "\t" }
    return String(start.dropLast(spaces.count))
  }
}
