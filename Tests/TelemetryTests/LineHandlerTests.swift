import Logging
import Synchronization
import Testing

@testable import Telemetry

@Suite("Log handler")
struct LineHandlerTests {
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func append(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private struct Refusal: Error {}

  private func logger(
    _ lines: Lines, threshold: LogThreshold = LogThreshold(.info),
    provider: Logger.MetadataProvider? = nil
  ) -> Logger {
    Logger(label: "test") { label in
      LineHandler(
        label: label, threshold: threshold, metadataProvider: provider,
        format: Telemetry.formatter(.text, style: .plain), clock: { 0 }, sink: lines.append)
    }
  }

  @Test("events below the level are not written, and the level can be set")
  func level() {
    let lines = Lines()
    var logger = logger(lines)
    logger.debug("one")
    logger.info("two")
    logger.logLevel = .debug
    logger.debug("three")
    #expect(
      lines.all == [
        "1970-01-01T00:00:00.000Z info test: two\n",
        "1970-01-01T00:00:00.000Z debug test: three\n",
      ])
  }

  @Test("a new process-wide level takes effect at once, but not for a logger with its own level")
  func threshold() {
    let (lines, threshold) = (Lines(), LogThreshold(.warning))
    let logger = logger(lines, threshold: threshold)
    var own = logger
    own.logLevel = .error
    logger.info("one")
    threshold.level = .debug
    #expect(logger.logLevel == .debug && own.logLevel == .error)
    logger.debug("two")
    own.warning("three")
    #expect(lines.all == ["1970-01-01T00:00:00.000Z debug test: two\n"])
  }

  @Test("the event's metadata overrides the provider's, which overrides the logger's")
  func metadata() {
    let lines = Lines()
    var logger = logger(lines, provider: .init { ["a": "provider", "b": "provider"] })
    logger[metadataKey: "a"] = "logger"
    logger[metadataKey: "b"] = "logger"
    logger[metadataKey: "c"] = "logger"
    logger.info("m", metadata: ["b": "event"])
    #expect(
      lines.all == ["1970-01-01T00:00:00.000Z info test: m a=provider b=event c=logger\n"])
    #expect(logger[metadataKey: "c"] == "logger")
  }

  @Test("an error is written as metadata")
  func error() {
    let lines = Lines()
    logger(lines).error("failed", error: Refusal())
    #expect(lines.all == ["1970-01-01T00:00:00.000Z error test: failed error=Refusal()\n"])
  }

  @Test("every format has a formatter", arguments: LogFormat.allCases)
  func formats(format: LogFormat) {
    let record = LogRecord(time: 0, level: .info, label: "l", message: "m", metadata: [:])
    let line = Telemetry.formatter(format, style: .plain)(record)
    #expect(line.hasSuffix("\n"))
    #expect(line.hasPrefix("{") == (format == .json))
  }
}
