/// The difference between the current settings of a program and the reloaded ones.
package struct SettingsChange: Sendable {
  /// A setting with its values before and after the change, as texts without secrets.
  package struct Entry: Sendable, Equatable {
    package let name: String
    package let before: String
    package let after: String

    /// Both values, such as `info -> debug`; for a secret only the fact that it differs.
    package var description: String {
      before == after ? "another value" : "\(before) -> \(after)"
    }
  }

  /// The settings after the reload: the previous ones with the changes of ``adopted``.
  package let settings: Settings
  /// The changes that apply immediately, in the order of the help.
  package let adopted: [Entry]
  /// The changes that apply at the next start.
  package let postponed: [Entry]

  /// Compares settings.
  ///
  /// - Throws: The problems of the settings that would apply immediately: some changes may only be valid
  ///   together with others that are postponed.
  package init(
    from old: Settings, to new: Settings, of program: Program
  ) throws(SettingsError) {
    var (settings, adopted, postponed) = (old, [Entry](), [Entry]())
    for definition in program.table.all where definition.differs(old, new) {
      let entry = Entry(definition, old, new)
      switch definition.adoption {
      case .reload:
        definition.copy(new, &settings)
        adopted.append(entry)
      case .restart: postponed.append(entry)
      }
    }
    let problems = SettingsChecks.problems(in: settings, ignoring: [])
    guard problems.isEmpty else {
      throw SettingsError(
        problems: problems.map { $0.dueToRestart(of: postponed.map(\.name)) },
        logFormat: old.log.format)
    }
    (self.settings, self.adopted, self.postponed) = (settings, adopted, postponed)
  }

  /// Whether the settings are equal.
  package var isEmpty: Bool { adopted.isEmpty && postponed.isEmpty }
}

extension SettingsChange.Entry {
  /// The maximum length of a shown value; longer ones are cut.
  private static let longestValue = 300

  fileprivate init(_ definition: SettingDefinition, _ old: Settings, _ new: Settings) {
    self.init(
      name: definition.name, before: Self.text(definition, old), after: Self.text(definition, new))
  }

  private static func text(_ definition: SettingDefinition, _ settings: Settings) -> String {
    let values = definition.shownValues(in: settings)
    guard !values.isEmpty else { return "none" }
    let text = values.joined(separator: ",")
    return text.count <= longestValue ? text : text.prefix(longestValue) + "…"
  }
}

extension SettingsProblem {
  /// The same problem, if it exists only because other settings change at the next start.
  fileprivate func dueToRestart(of names: [String]) -> SettingsProblem {
    SettingsProblem(
      setting: setting, source: source, value: value,
      explanation: "\(explanation); restart to change it together with "
        + names.joined(separator: ", "))
  }
}
