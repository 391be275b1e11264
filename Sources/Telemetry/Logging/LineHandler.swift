package import Logging

/// A log handler that writes each event as one line.
package struct LineHandler: LogHandler {
  /// Takes one whole line, its line feed included.
  package typealias Sink = @Sendable (String) -> Void

  private let label: String
  private let format: @Sendable (LogRecord) -> String
  private let clock: @Sendable () -> Int64
  private let sink: Sink

  package var logLevel: Logger.Level
  package var metadata = Logger.Metadata()
  package var metadataProvider: Logger.MetadataProvider?

  init(
    label: String, level: Logger.Level, metadataProvider: Logger.MetadataProvider? = nil,
    format: @escaping @Sendable (LogRecord) -> String,
    clock: @escaping @Sendable () -> Int64, sink: @escaping Sink
  ) {
    self.label = label
    self.logLevel = level
    self.metadataProvider = metadataProvider
    self.format = format
    self.clock = clock
    self.sink = sink
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    let record = LogRecord(
      time: clock(), level: event.level, label: label, message: event.message.description,
      metadata: merged(with: event))
    sink(format(record))
  }

  /// Merges metadata: that of the event overrides the provider's, and that the logger's.
  private func merged(with event: LogEvent) -> Logger.Metadata {
    var all = metadata
    if let provided = metadataProvider?.get() { all.merge(provided) { _, new in new } }
    if let own = event.metadata { all.merge(own) { _, new in new } }
    if let error = event.error { all["error"] = .string("\(error)") }
    return all
  }
}
