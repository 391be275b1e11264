/// All problems with the settings of a start.
package struct SettingsError: Error, Equatable, CustomStringConvertible {
  /// The problems in this order: file, environment, flags, combinations.
  package let problems: [SettingsProblem]
  /// The value of `log.format`, if it could be read.
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
  /// The value, cut and escaped; `nil` where there is none or it may be a secret.
  package let value: String?
  /// The error, or the expected value.
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
  /// The configuration file, and the line if it is known.
  case file(path: String, line: Int?)
  /// An environment variable.
  case environment(variable: String)
  /// A command line flag, as written.
  case flag(String)
  /// A place on the command line without a known flag, and the known flag before it.
  case commandLine(after: String?)
  /// Several settings that cannot be combined.
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

/// Finds the known name that is most similar to an unknown one.
enum NearestName {
  /// `; did you mean x?` when a known name is similar, otherwise an empty text.
  static func hint(for unknown: String, among known: [String]) -> String {
    guard let name = nearest(to: unknown, among: known) else { return "" }
    return "; did you mean \(name)?"
  }

  /// The known name with the smallest edit distance, which is at most a third of its length.
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

/// A setting that is well-formed, but whose value is unusable: a missing file, a wrong key.
package struct UnusableSetting: Error, CustomStringConvertible {
  /// The setting's name.
  package let setting: String
  /// The problem with the value, as text.
  package let reason: String

  package init(_ setting: String, reason: any Error) {
    self.setting = setting
    self.reason = "\(reason)"
  }

  package var description: String { "\(setting): \(reason)" }

  /// Applies the value of a setting and returns the result.
  ///
  /// - Throws: An error with the setting's name if that fails.
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
