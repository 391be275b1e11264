/// Everything that is wrong with the settings of a start, found in one go.
package struct SettingsError: Error, Equatable, CustomStringConvertible {
  /// The problems: those of the file first, then the environment's, the flags', combinations.
  package let problems: [SettingsProblem]
  /// The value of `log.format`, as far as that setting could be read.
  package let logFormat: LogSettings.Format

  package var description: String {
    let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
    let lines = problems.map { "  " + $0.description }
    return (["\(count) with the settings:"] + lines).joined(separator: "\n")
  }
}

/// A problem in the settings.
package struct SettingsProblem: Sendable, Equatable, CustomStringConvertible {
  /// The setting's name, or the text given in its place.
  package let setting: String
  /// The place where it was given.
  package let source: SettingSource
  /// The value, bounded and escaped; `nil` where there is none or it may be a secret.
  package let value: String?
  /// The fault, or the value that was expected.
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

/// The place where a setting was given.
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

/// Finds the known name that an unknown one was probably meant to be.
enum NearestName {
  /// `; did you mean x?` when a known name is near, else nothing.
  static func hint(for unknown: String, among known: [String]) -> String {
    guard let name = nearest(to: unknown, among: known) else { return "" }
    return "; did you mean \(name)?"
  }

  /// The known name with the fewest changes between them, at most a third of its length.
  static func nearest(to unknown: String, among known: [String]) -> String? {
    guard unknown.utf8.count <= 80 else { return nil }
    let ranked = known.map { (name: $0, distance: distance(unknown, $0)) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(2, best.name.utf8.count / 3) ? best.name : nil
  }

  /// The number of bytes to insert, remove or replace (Levenshtein).
  static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right.utf8)
    var row = Array(0...right.count)
    for (index, byte) in left.utf8.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let replaced = diagonal + (byte == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}

/// A setting that reads well, but whose value cannot be put to use: a missing file, a wrong key.
package struct UnusableSetting: Error, CustomStringConvertible {
  /// The setting's name.
  package let setting: String
  /// The fault of its value, as text.
  package let reason: String

  package init(_ setting: String, reason: any Error) {
    self.setting = setting
    self.reason = "\(reason)"
  }

  package var description: String { "\(setting): \(reason)" }

  /// Returns the value of a setting put to use.
  ///
  /// - Throws: An error that names the setting when that fails.
  package static func named<Value>(
    _ setting: String, _ body: () throws -> Value
  ) throws(UnusableSetting) -> Value {
    do {
      return try body()
    } catch {
      throw UnusableSetting(setting, reason: error)
    }
  }
}
