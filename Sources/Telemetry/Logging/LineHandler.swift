internal import Glibc
package import Logging
package import Reactor
internal import Synchronization

/// Sets up the log of the process.
package enum Telemetry {
  /// The maximum time that the end of the process waits for lines to be written, in milliseconds.
  private static let patience = 1_000

  private static let writer = Mutex<LogWriter?>(nil)
  private static let threshold = LogThreshold(.info)

  /// Writes all log output to standard error, on a separate thread.
  ///
  /// Call this once, before the first logger is created. The end of the process waits up to one second
  /// for lines that have not been written.
  package static func bootstrap(level: Logger.Level, format: LogFormat) throws(SystemError) {
    let style = isatty(STDERR_FILENO) == 1 ? TextLine.Style.coloured : .plain
    let format = formatter(format, style: style)
    let writer = try LogWriter(STDERR_FILENO) { lostCount in
      format(
        LogRecord(
          time: now(), level: .warning, label: "log", message: "log lines were lost",
          metadata: ["lines": "\(lostCount)"]))
    }
    self.writer.withLock { $0 = writer }
    threshold.level = level
    atexit { Telemetry.writer.withLock { $0 }?.end(within: Telemetry.patience) }
    LoggingSystem.bootstrap(
      { label, provider in
        LineHandler(
          label: label, threshold: threshold, metadataProvider: provider, format: format,
          clock: now, sink: writer.add)
      }, metadataProvider: nil)
  }

  /// Sets the lowest logged level for all loggers without their own level.
  package static func setLevel(_ level: Logger.Level) { threshold.level = level }

  /// The number of log lines that were dropped or could not be written.
  package static var lostLineCount: Int { writer.withLock { $0 }?.lostCount ?? 0 }

  /// Writes one line of JSON, even if the log was not set up.
  package static func writeJSONLine(
    level: Logger.Level, label: String, message: String, metadata: Logger.Metadata
  ) {
    let record = LogRecord(
      time: now(), level: level, label: label, message: message, metadata: metadata)
    write(JSONLine.format(record))
  }

  /// Writes text that ends with a line feed after the earlier log lines, even if there is no log set up.
  package static func write(_ text: String) {
    if let writer = writer.withLock({ $0 }) { return writer.add(text) }
    let bytes = Array(text.utf8)
    _ = Kernel.uninterrupted { Kernel.write(STDERR_FILENO, bytes, bytes.count) }
  }

  /// Unix milliseconds of the system's clock.
  private static func now() -> Int64 {
    var time = timespec()
    guard clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// The function that formats a record as a line.
  static func formatter(
    _ format: LogFormat, style: TextLine.Style
  ) -> @Sendable (LogRecord) -> String {
    switch format {
    case .text: { TextLine.format($0, style: style) }
    case .json: { JSONLine.format($0) }
    }
  }
}

/// A log handler that writes each event as one line.
package struct LineHandler: LogHandler {
  /// Receives one whole line, including its line feed.
  package typealias Sink = @Sendable (String) -> Void

  private let label: String
  private let format: @Sendable (LogRecord) -> String
  private let clock: @Sendable () -> Int64
  private let sink: Sink

  private let threshold: LogThreshold
  /// The level of this logger alone; `nil` for the threshold of the process.
  private var ownLevel: Logger.Level?
  package var metadata = Logger.Metadata()
  package var metadataProvider: Logger.MetadataProvider?

  init(
    label: String, threshold: LogThreshold, metadataProvider: Logger.MetadataProvider? = nil,
    format: @escaping @Sendable (LogRecord) -> String,
    clock: @escaping @Sendable () -> Int64, sink: @escaping Sink
  ) {
    self.label = label
    self.threshold = threshold
    self.metadataProvider = metadataProvider
    self.format = format
    self.clock = clock
    self.sink = sink
  }

  package var logLevel: Logger.Level {
    get { ownLevel ?? threshold.level }
    set { ownLevel = newValue }
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

  /// Merges metadata: the event's overrides the provider's, which overrides the logger's.
  private func merged(with event: LogEvent) -> Logger.Metadata {
    var all = metadata
    if let provided = metadataProvider?.get() { all.merge(provided) { _, new in new } }
    if let own = event.metadata { all.merge(own) { _, new in new } }
    if let error = event.error { all["error"] = .string("\(error)") }
    return all
  }
}

/// Admits the first few lines of each second and counts the others, so that events that clients can
/// cause do not fill the log.
package struct LineRate: Sendable {
  private let limit: Int
  private let period: Int64
  private var start = Int64.min
  private var written = 0
  private var suppressed = 0

  /// - Parameters:
  ///   - limit: The number of lines in each period.
  ///   - period: Milliseconds.
  package init(limit: Int = 5, period: Int64 = 1000) {
    self.limit = limit
    self.period = period
  }

  /// Returns whether a line may be written now; a suppressed line is counted.
  ///
  /// - Parameter now: Milliseconds of a monotonic clock.
  package mutating func admit(at now: Int64) -> Bool {
    if now >= nextStart {
      start = now
      written = 0
    }
    guard written < limit else {
      suppressed += 1
      return false
    }
    written += 1
    return true
  }

  /// Whether there are suppressed lines whose number has not been taken.
  package var hasSuppressed: Bool { suppressed > 0 }

  /// The number of suppressed lines, after their period has ended; `nil` when there are none.
  package mutating func takeSuppressed(at now: Int64) -> Int? {
    guard suppressed > 0, now >= nextStart else { return nil }
    defer { suppressed = 0 }
    return suppressed
  }

  private var nextStart: Int64 {
    let (end, isOverflow) = start.addingReportingOverflow(period)
    return isOverflow ? .max : end
  }
}
