/// Formats the table of settings as help text and as a file with defaults.
package enum SettingsReference {
  private static let width = 78

  /// Returns the help text: flag, name, purpose, valid values and default of each setting.
  package static func helpText(of program: Program) -> String {
    let intro = [
      "Each setting can be given as a flag (--a-b-c VALUE or --a-b-c=VALUE), as an",
      "environment variable (PARLEY_A_B_C=VALUE), or by its name (a.b.c: VALUE, or",
      "nested) in a YAML or JSON file given by --config or PARLEY_CONFIG. Flags",
      "override the environment, which overrides the file. Lists are separated by",
      "commas; their flags may be repeated. SIGHUP reloads the file: settings with",
      "the words 'Changes on reload' change while the program runs, others at its",
      "next start.",
      "",
      "SETTINGS:",
    ]
    return (intro + program.table.all.flatMap(helpLines)).joined(separator: "\n")
  }

  /// Returns a settings file with all defaults; loading it changes nothing.
  package static func defaultsFile(of program: Program) -> String {
    let head = "# All settings with their defaults. Lines that begin with # are comments.\n"
    return head + program.table.all.map(fileEntry).joined()
  }

  private static func helpLines(_ definition: SettingDefinition) -> [String] {
    let text = "\(purpose(definition)) Default: \(standard(definition))."
    let (flag, name) = ("  \(definition.flag)", "(\(definition.name))")
    let line = "\(flag)  \(name)"
    let heading = line.utf8.count <= width ? [line] : [flag, "    \(name)"]
    return heading + wrapped(text).map { "      " + $0 }
  }

  private static func fileEntry(_ definition: SettingDefinition) -> String {
    let comments = wrapped(purpose(definition)).map { "# \($0)\n" }
    let line =
      switch definition.defaultValue {
      case .value(let text): "\(definition.name): \(scalar(text))"
      case .nothing: "# \(definition.name):"
      case .described(let text): "# \(definition.name): (\(text))"
      }
    return "\n\(comments.joined())\(line)\n"
  }

  /// A value as YAML: in quotes if it began a collection otherwise.
  private static func scalar(_ text: String) -> String {
    text.first == "{" || text.first == "[" ? "\"\(text)\"" : text
  }

  private static func purpose(_ definition: SettingDefinition) -> String {
    let adoption =
      switch definition.adoption {
      case .reload: " Changes on reload."
      case .restart: ""
      }
    return "\(definition.help)\(adoption) Value: \(expected(definition))."
  }

  private static func expected(_ definition: SettingDefinition) -> String {
    switch definition.shape {
    case .single, .toggle: definition.expected
    case .list, .records, .table: "a list of values, each \(definition.expected)"
    }
  }

  private static func standard(_ definition: SettingDefinition) -> String {
    switch definition.defaultValue {
    case .value(let text), .described(let text): text
    case .nothing: "none"
    }
  }

  /// Breaks a text at spaces into lines that fit next to the indentation.
  private static func wrapped(_ text: String) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      guard let last = lines.last, last.utf8.count + word.utf8.count < width - 6 else {
        lines.append(String(word))
        continue
      }
      lines[lines.count - 1] = "\(last) \(word)"
    }
    return lines
  }
}
