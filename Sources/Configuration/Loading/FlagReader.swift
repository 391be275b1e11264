internal import Basics

/// Reads settings from the arguments of a command line.
struct FlagReader {
  private let table: SettingsTable
  private var words: ArraySlice<String>
  private var reading = SettingsReading()
  private var previousFlag: String?

  static func read(_ arguments: [String], of table: SettingsTable) -> SettingsReading {
    var reader = FlagReader(table: table, words: arguments[...])
    while let word = reader.words.popFirst() { reader.take(word) }
    return reader.reading
  }

  private init(table: SettingsTable, words: ArraySlice<String>) {
    self.table = table
    self.words = words
  }

  private mutating func take(_ word: String) {
    guard word.hasPrefix("-"), word != "-", word != "--" else {
      // The word is not shown, because it may be the rest of an unquoted secret.
      reading.refuse(
        "command line", "expected a flag such as --listen", from: .commandLine(after: previousFlag))
      return
    }
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let flag = String(parts[0])
    take(flag, attached: parts.count == 2 ? String(parts[1]) : nil)
  }

  private mutating func take(_ flag: String, attached: String?) {
    if flag == SettingsLoader.fileFlag {
      reading.file = attached ?? nextValue(of: flag, named: "config")
      previousFlag = flag
    } else if let definition = table.definition(flag: flag) {
      previousFlag = flag
      guard let text = attached ?? value(of: definition) else { return }
      reading.give(definition, text: text, from: .flag(flag))
    } else {
      refuseUnknown(flag)
      if attached == nil { dropValue() }
    }
  }

  private mutating func value(of definition: SettingDefinition) -> String? {
    guard case .toggle = definition.shape else {
      let value = nextValue(of: definition.flag, named: definition.name)
      if value == nil, definition.disclosure == .secret { dropUnknownFlag() }
      return value
    }
    guard let next = words.first, ToggleText.read(next) != nil else { return "true" }
    return words.popFirst()
  }

  /// Skips a word that may be a secret that begins with dashes, and must not be shown.
  private mutating func dropUnknownFlag() {
    guard let word = words.first, let flag = word.split(separator: "=").first,
      flag != SettingsLoader.fileFlag, table.definition(flag: String(flag)) == nil
    else { return }
    words.removeFirst()
  }

  private mutating func nextValue(of flag: String, named name: String) -> String? {
    guard let next = words.first, !next.hasPrefix("--") else {
      reading.refuse(
        name, "expected a value (after an = when it begins with --)", from: .flag(flag))
      return nil
    }
    return words.popFirst()
  }

  private mutating func refuseUnknown(_ flag: String) {
    let hint = NearestName.hint(for: flag, among: table.all.map(\.flag))
    reading.refuse(
      DisplayText.name(flag), "unknown flag" + hint, from: .commandLine(after: previousFlag))
  }

  private mutating func dropValue() {
    if let next = words.first, !next.hasPrefix("-") { words.removeFirst() }
  }
}
