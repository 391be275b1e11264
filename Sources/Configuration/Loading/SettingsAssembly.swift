internal import Basics

/// Combines the settings of several sources, from lowest to highest precedence.
struct SettingsAssembly {
  private var settings: Settings
  private var problems: [SettingsProblem] = []
  private var given: Set<String> = []

  /// - Parameter settings: The defaults.
  init(settings: Settings) {
    self.settings = settings
  }

  /// Replaces values with those of a source with higher precedence.
  mutating func add(_ reading: SettingsReading) {
    problems += reading.problems
    for entry in reading.given { store(entry) }
  }

  /// Sets the defaults that depend on other settings, and checks combinations.
  mutating func finish(
    processorCount: Int, memoryByteCount: Int
  ) throws(SettingsError) -> Settings {
    if !given.contains("auth.mode") {
      settings.auth.mode = settings.isExposed ? .token : .open
    }
    if !given.contains("reactors") {
      settings.reactors = min(max(1, processorCount), 1024)
    }
    if settings.limits.memoryBytes == 0 { settings.limits.memoryBytes = memoryByteCount / 2 }
    problems += SettingsChecks.problems(in: settings, ignoring: Set(problems.map(\.setting)))
    guard problems.isEmpty else {
      throw SettingsError(problems: problems, logFormat: settings.log.format)
    }
    return settings
  }

  private mutating func store(_ entry: SettingsReading.Given) {
    let definition = entry.definition
    given.insert(definition.name)
    if let value = entry.values.first(where: { $0.unicodeScalars.contains(where: \.isUnseen) }) {
      refuse(entry, value, "expected a text without control characters")
      return
    }
    do {
      try definition.store(&settings, entry.values)
    } catch {
      refuse(entry, error.value, "expected \(definition.expected)")
    }
  }

  private mutating func refuse(
    _ entry: SettingsReading.Given, _ value: String, _ explanation: String
  ) {
    let shown: String? =
      switch entry.definition.disclosure {
      case .open, .openWithoutQuery: DisplayText.quoted(value)
      case .secret: nil
      }
    problems.append(
      SettingsProblem(
        setting: entry.definition.name, source: entry.source, value: shown,
        explanation: explanation))
  }
}

/// The contents of one source: values of known settings, and problems with the rest.
struct SettingsReading {
  /// The values of a setting from one place.
  struct Given {
    let definition: SettingDefinition
    var values: [String]
    let source: SettingSource
  }

  private(set) var given: [Given] = []
  var problems: [SettingsProblem] = []
  /// The configuration file that the source specifies.
  var file: String?

  /// Adds a value.
  ///
  /// Repeated lists are concatenated; for anything else the last value counts.
  mutating func give(
    _ definition: SettingDefinition, _ values: [String], from source: SettingSource
  ) {
    let new = Given(definition: definition, values: values, source: source)
    guard let index = given.firstIndex(where: { $0.definition.name == definition.name }) else {
      given.append(new)
      return
    }
    switch definition.shape {
    case .list, .records, .table: given[index].values += values
    case .single, .toggle: given[index] = new
    }
  }

  /// Adds a text, which is split at commas when the setting is a list.
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
    switch definition.shape {
    case .single, .toggle: return [text]
    case .list, .records, .table: break
    }
    guard text.contains(where: { !$0.isWhitespace }) else { return [] }
    return text.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
  }

  private static func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0 == " " || $0 == "\t" }
    let spaces = start.reversed().prefix { $0 == " " || $0 == "\t" }
    return String(start.dropLast(spaces.count))
  }
}
