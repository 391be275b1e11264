/// The settings that a program runs with, for operators to read.
package struct SettingsListing: Sendable {
  /// One setting with its value.
  package struct Entry: Sendable, Equatable {
    /// Such as `limits.flood.window_ms`.
    package let name: String
    /// The values in their written form; several for a list, none for a setting without a value.
    package let values: [String]
    /// Whether the value is not shown.
    package let isSecret: Bool
    package let help: String
  }

  package let entries: [Entry]

  /// Lists the settings of a program in the order of its help.
  package init(_ settings: Settings, of program: Program) {
    entries = program.table.all.map { definition in
      Entry(
        name: definition.name,
        values: definition.shownValues(in: settings),
        isSecret: definition.disclosure == .secret, help: definition.help)
    }
  }
}

extension SettingDefinition {
  /// The values in the settings in their written form, without secrets.
  func shownValues(in settings: Settings) -> [String] {
    let values = show(settings)
    return switch disclosure {
    case .open: values
    case .openWithoutQuery: values.map { String($0.prefix { $0 != "?" }) }
    case .secret: values.isEmpty ? [] : [Secret("").description]
    }
  }
}
