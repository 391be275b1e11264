internal import Basics

/// Reads settings from the environment.
enum EnvironmentReader {
  private static let prefix = "PARLEY_"

  static func read(_ environment: [String: String], of table: SettingsTable) -> SettingsReading {
    var reading = SettingsReading()
    for (variable, text) in environment.sorted(by: { $0.key < $1.key })
    where variable.hasPrefix(prefix) {
      take(variable, text, of: table, into: &reading)
    }
    return reading
  }

  private static func take(
    _ variable: String, _ text: String, of table: SettingsTable,
    into reading: inout SettingsReading
  ) {
    if variable == SettingsLoader.fileVariable {
      reading.file = text.isEmpty ? nil : text
    } else if let definition = table.definition(variable: variable) {
      // Many tools set a variable to an empty text to unset it.
      guard !text.isEmpty else { return }
      reading.give(definition, text: text, from: .environment(variable: variable))
    } else if !isServiceLink(variable), !isOfCommandLine(variable),
      !Program.someHasSetting(variable: variable)
    {
      let shown = DisplayText.name(variable)
      let known = table.all.map(\.variable) + [SettingsLoader.fileVariable]
      reading.refuse(
        shown, "unknown variable" + NearestName.hint(for: variable, among: known),
        from: .environment(variable: shown))
    }
  }

  /// Whether a variable is for the command line tool `parley`, which may share the environment.
  private static func isOfCommandLine(_ variable: String) -> Bool {
    variable.hasPrefix(prefix + "CLI_")
  }

  /// Whether Kubernetes sets this variable for a service named `parley` or `parley-…`, as it does in
  /// every container of its namespace: `…_SERVICE_HOST`, `…_SERVICE_PORT`, `…_PORT`, `…_PORT_8080_TCP`
  /// and similar ones.
  private static func isServiceLink(_ variable: String) -> Bool {
    let words = variable.split(separator: "_", omittingEmptySubsequences: false)
    if let service = words.firstIndex(of: "SERVICE"), service + 1 < words.count {
      return words[service + 1] == "HOST" || words[service + 1] == "PORT"
    }
    guard let port = words.firstIndex(of: "PORT") else { return false }
    let rest = words[(port + 1)...]
    guard let number = rest.first else { return true }
    return UInt16(decimal: number) != nil && rest.count >= 2
  }
}
