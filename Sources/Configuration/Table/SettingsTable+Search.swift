extension SettingsTable {
  /// Settings for search.
  static let search: [SettingDefinition] = [
    .choice(
      "search.mode", .restart, \.search.mode,
      help: "Search among the texts of messages (on), with an index in the store, or none (off).")
  ]
}
