/// Everything that is wrong with the settings of a start, found in one go.
package struct SettingsError: Error, Equatable, CustomStringConvertible {
  /// The problems: those of the file first, then the environment's, the flags', combinations.
  package let problems: [SettingsProblem]

  package var description: String {
    let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
    let lines = problems.map { "  " + $0.description }
    return (["\(count) with the settings:"] + lines).joined(separator: "\n")
  }
}

/// One thing that is wrong with the settings.
package struct SettingsProblem: Sendable, Equatable, CustomStringConvertible {
  /// The setting's name, or what was given in place of one.
  package let setting: String
  /// Where it was given.
  package let source: SettingSource
  /// The value, bounded and escaped; `nil` where there is none or it may be a secret.
  package let value: String?
  /// What is wrong, or what was expected.
  package let explanation: String

  init(setting: String, source: SettingSource, value: String? = nil, explanation: String) {
    self.setting = setting
    self.source = source
    self.value = value
    self.explanation = explanation
  }

  package var description: String {
    let got = value.map { ", got \($0)" } ?? ""
    return "\(setting): \(explanation)\(got) (\(source))"
  }
}

/// Where a setting was given.
package enum SettingSource: Sendable, Equatable, CustomStringConvertible {
  /// The configuration file, and the line in it where it is known.
  case file(path: String, line: Int?)
  /// An environment variable.
  case environment(variable: String)
  /// A command line flag, as written.
  case flag(String)
  /// The command line where there is no known flag, and the known flag before that place.
  case commandLine(after: String?)
  /// Several settings that do not go together.
  case combination

  package var description: String {
    switch self {
    case .file(let path, nil): "file \(path)"
    case .file(let path, let line?): "file \(path), line \(line)"
    case .environment(let variable): "environment variable \(variable)"
    case .flag(let flag): "flag \(flag)"
    case .commandLine(nil): "command line"
    case .commandLine(let flag?): "command line, after \(flag)"
    case .combination: "combination of settings"
    }
  }
}
