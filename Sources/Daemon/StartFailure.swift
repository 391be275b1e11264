internal import Configuration
internal import Logging
internal import Telemetry

/// Reports a failed start on standard error, in the format of the log.
enum StartFailure {
  /// Writes the reason: as text, or as a line of JSON for each problem.
  static func write(_ error: any Error, name: String, format: LogSettings.Format) {
    switch format {
    case .text: Telemetry.write("\(name): \(error)\n")
    case .json:
      for metadata in reasons(of: error) {
        Telemetry.writeJSONLine(
          level: .critical, label: name, message: "cannot start", metadata: metadata)
      }
    }
  }

  /// Returns the metadata of each line.
  static func reasons(of error: any Error) -> [Logger.Metadata] {
    if let error = error as? SettingsError {
      return error.problems.map {
        ["reason": "\($0)", "setting": "\($0.setting)", "source": "\($0.source)"]
      }
    }
    if let error = error as? UnusableSetting {
      return [["reason": "\(error)", "setting": "\(error.setting)"]]
    }
    return [["reason": "\(error)"]]
  }
}
