/// The settings that a program runs with, for operators to read.
package struct SettingsListing: Sendable {
  /// One setting with its value.
  package struct Entry: Sendable, Equatable {
    /// Such as `limits.flood.window_ms`.
    package let name: String
    /// As it would be written; of a list several, none for a setting that has no value.
    package let values: [String]
    /// Whether the value is not shown.
    package let isSecret: Bool
    package let help: String
  }

  package let entries: [Entry]

  /// Lists the settings of a program in the order of its help.
  package init(_ settings: Settings, of program: Program) {
    entries = program.table.all.map { definition in
      let values = definition.show(settings)
      let isSecret = definition.disclosure == .secret
      return Entry(
        name: definition.name,
        values: isSecret && !values.isEmpty ? [Secret("").description] : values,
        isSecret: isSecret, help: definition.help)
    }
  }
}
