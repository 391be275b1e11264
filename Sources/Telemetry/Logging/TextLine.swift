internal import Basics
internal import Logging

/// A record as one line for people.
///
///     2025-01-31T23:59:59.123Z info gateway: listening address=127.0.0.1:8080
enum TextLine {
  /// Whether the level may be coloured, which only a terminal shows.
  enum Style: Sendable {
    case plain
    case coloured
  }

  /// Formats a record, the line feed at its end included.
  static func format(_ record: LogRecord, style: Style) -> String {
    let pairs = record.metadata.sorted { $0.key < $1.key }.map { key, value in
      " \(word(key))=\(word(text(of: value)))"
    }
    let time = UTCTime.format(record.time)
    let label = DisplayText.escaped(record.label, limit: LogRecord.longestText)
    let message = DisplayText.escaped(record.message, limit: LogRecord.longestText)
    return "\(time) \(level(record.level, style)) \(label): \(message)\(pairs.joined())\n"
  }

  private static func text(of value: Logger.Metadata.Value) -> String {
    switch value {
    case .string(let text): text
    case .stringConvertible(let value): value.description
    case .array(let values):
      "[" + values.map { word(text(of: $0)) }.joined(separator: ", ") + "]"
    case .dictionary(let values):
      "{"
        + values.sorted { $0.key < $1.key }
        .map { "\(word($0.key))=\(word(text(of: $0.value)))" }
        .joined(separator: ", ") + "}"
    }
  }

  /// One plain word as it is, anything else in quotes.
  private static func word(_ text: String) -> String {
    let isPlain = !text.isEmpty && text.unicodeScalars.allSatisfy(isPlain)
    return isPlain ? text : DisplayText.quoted(text, limit: LogRecord.longestText)
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    !" \"=\\".unicodeScalars.contains(scalar) && !scalar.isUnseen
  }

  private static func level(_ level: Logger.Level, _ style: Style) -> String {
    switch style {
    case .plain: level.rawValue
    case .coloured: "\u{1b}[\(colour(of: level))m\(level.rawValue)\u{1b}[0m"
    }
  }

  private static func colour(of level: Logger.Level) -> Int {
    switch level {
    case .trace, .debug: 2
    case .info: 32
    case .notice: 36
    case .warning: 33
    case .error, .critical: 31
    }
  }
}
