package import Logging

/// The set-up of the process's log.
package enum Telemetry {
  /// Sends everything that is logged to standard error.
  ///
  /// Call once, before the first logger is made.
  package static func bootstrap(level: Logger.Level, format: LogFormat) {
    let style = LogOutput.isTerminal ? TextLine.Style.coloured : .plain
    LoggingSystem.bootstrap(
      { label, provider in
        LineHandler(
          label: label, level: level, metadataProvider: provider,
          format: formatter(format, style: style), clock: LogOutput.now,
          sink: LogOutput.write)
      }, metadataProvider: nil)
  }

  /// The function that makes a line of a record.
  static func formatter(
    _ format: LogFormat, style: TextLine.Style
  ) -> @Sendable (LogRecord) -> String {
    switch format {
    case .text: { TextLine.format($0, style: style) }
    case .json: { JSONLine.format($0) }
    }
  }
}
