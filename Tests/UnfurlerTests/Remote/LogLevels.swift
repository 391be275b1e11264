import Logging
import Synchronization

/// Keeps what is logged, level and message.
final class LogLevels: Sendable {
  private let entries = Mutex<[String]>([])

  /// What was logged at info or above.
  var lines: [String] { entries.withLock { $0 } }

  var logger: Logger { Logger(label: "test", factory: { _ in Handler(log: self) }) }

  private struct Handler: LogHandler {
    let log: LogLevels
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    init(log: LogLevels) { self.log = log }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      log.entries.withLock { $0.append("\(event.level): \(event.message)") }
    }
  }
}
