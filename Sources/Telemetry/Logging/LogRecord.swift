package import Logging

/// One event with all that its line shows; the metadata of logger, provider and event are merged.
package struct LogRecord: Sendable {
  /// The longest text that is logged in full, in Unicode scalars.
  static let longestText = 8192

  /// Unix milliseconds.
  package let time: Int64
  package let level: Logger.Level
  package let label: String
  package let message: String
  package let metadata: Logger.Metadata

  package init(
    time: Int64, level: Logger.Level, label: String, message: String, metadata: Logger.Metadata
  ) {
    self.time = time
    self.level = level
    self.label = label
    self.message = message
    self.metadata = metadata
  }
}
