internal import Glibc
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

  /// Writes one line of JSON, whether or not the log was set up.
  package static func writeJSONLine(
    level: Logger.Level, label: String, message: String, metadata: Logger.Metadata
  ) {
    let record = LogRecord(
      time: LogOutput.now(), level: level, label: label, message: message, metadata: metadata)
    LogOutput.write(JSONLine.format(record))
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

/// Lets the first few lines of each second through and counts the others, so that what clients can
/// cause does not fill the log.
package struct LineRate: Sendable {
  private let limit: Int
  private let period: Int64
  private var start = Int64.min
  private var written = 0
  private var suppressed = 0

  /// - Parameters:
  ///   - limit: Lines in each period.
  ///   - period: Milliseconds.
  package init(limit: Int = 5, period: Int64 = 1000) {
    self.limit = limit
    self.period = period
  }

  /// Whether a line may be written now; if not it is counted.
  ///
  /// - Parameter now: Milliseconds of a steady clock.
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

  /// Whether lines were counted whose number has not been taken.
  package var hasSuppressed: Bool { suppressed > 0 }

  /// The number of lines that were not written, once their period is over; `nil` when there are none.
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

/// The process's standard error as the end of every log line.
enum LogOutput {
  /// Whether a person is looking at it.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes a line with one call, so that lines of several threads do not mix.
  ///
  /// The rest of a line that the system takes in part is written next, unless that would block:
  /// a reader that has stopped must not stop the server.
  static func write(_ line: String) {
    var line = line
    line.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = Glibc.write(STDERR_FILENO, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      }
    }
  }

  /// Unix milliseconds of the system's clock.
  static func now() -> Int64 {
    var time = timespec()
    guard clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
