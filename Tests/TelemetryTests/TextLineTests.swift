import Logging
import Testing

@testable import Telemetry

@Suite("Log lines as text")
struct TextLineTests {
  private func line(
    _ message: String, _ metadata: Logger.Metadata = [:], level: Logger.Level = .info,
    style: TextLine.Style = .plain
  ) -> String {
    TextLine.format(
      LogRecord(
        time: 1_738_367_999_123, level: level, label: "gateway", message: message,
        metadata: metadata),
      style: style)
  }

  @Test("a line has time, level, label, message and sorted metadata")
  func whole() {
    #expect(
      line("listening", ["port": "8080", "address": "127.0.0.1"])
        == "2025-01-31T23:59:59.123Z info gateway: listening address=127.0.0.1 port=8080\n")
  }

  @Test("a value that is not one plain word is quoted")
  func quotes() {
    #expect(
      line("m", ["a": "two words", "b": "", "c": "say \"hi\"", "d": "x=y", "e": #"a\b"#])
        == "2025-01-31T23:59:59.123Z info gateway: m a=\"two words\" b=\"\" c=\"say \\\"hi\\\"\""
        + " d=\"x=y\" e=\"a\\\\b\"\n")
  }

  @Test("control and directional characters are escaped, so that a line stays one line")
  func controlCharacters() {
    #expect(
      line("a\nb\u{1b}[31m\u{0}\r\t\u{202e}\u{2028}c", ["k\n": "v\u{7f}"])
        == "2025-01-31T23:59:59.123Z info gateway: a\\nb\\u{1b}[31m\\u{0}\\r\\t\\u{202e}\\u{2028}c"
        + " \"k\\n\"=\"v\\u{7f}\"\n")
  }

  @Test("lists and groups in metadata are written out, with groups sorted")
  func nested() {
    let metadata: Logger.Metadata = [
      "list": ["a", "b c"], "group": ["z": "1", "a": .stringConvertible(2)],
    ]
    #expect(
      line("m", metadata)
        == "2025-01-31T23:59:59.123Z info gateway: m group=\"{a=2, z=1}\" list=\"[a, \\\"b c\\\"]\"\n"
    )
  }

  @Test("the level is coloured only on request")
  func colours() {
    #expect(
      line("m", level: .error, style: .coloured)
        == "2025-01-31T23:59:59.123Z \u{1b}[31merror\u{1b}[0m gateway: m\n")
    for level in Logger.Level.allCases {
      #expect(line("m", level: level).contains(" \(level.rawValue) gateway"))
    }
  }

  @Test("a text that is too long is truncated")
  func cut() {
    let text = line(String(repeating: "x", count: 10_000))
    #expect(text.hasSuffix("x…\n"))
    #expect(text.unicodeScalars.count < 8300)
  }
}
