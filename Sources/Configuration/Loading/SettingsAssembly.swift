internal import Bytes

/// The settings while sources are laid over one another, weakest first.
struct SettingsAssembly {
  private var settings: Settings
  private var problems: [SettingsProblem] = []
  private var given: Set<String> = []

  /// - Parameter settings: What holds when nothing is given.
  init(settings: Settings) {
    self.settings = settings
  }

  /// Lays a stronger source over what is there.
  mutating func add(_ reading: SettingsReading) {
    problems += reading.problems
    for entry in reading.given { store(entry) }
  }

  /// Decides the defaults that depend on others, and checks what must go together.
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
    guard problems.isEmpty else { throw SettingsError(problems: problems) }
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
      case .open: DisplayText.quoted(value)
      case .secret: nil
      }
    problems.append(
      SettingsProblem(
        setting: entry.definition.name, source: entry.source, value: shown,
        explanation: explanation))
  }
}
