import Logging
import Synchronization

/// Keeps what is logged.
final class LogRecorder: Sendable {
  private let lines = Mutex<[String]>([])

  var messages: [String] { lines.withLock { $0 } }

  var logger: Logger {
    Logger(label: "test", factory: { _ in Handler(recorder: self) })
  }

  private struct Handler: LogHandler {
    let recorder: LogRecorder
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(recorder: LogRecorder) {
      self.recorder = recorder
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      recorder.lines.withLock { $0.append("\(event.level): \(event.message)") }
    }
  }
}
