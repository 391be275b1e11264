internal import Basics
package import Logging

/// One event with all contents of its line; the metadata of logger, provider and event are merged.
package struct LogRecord: Sendable {
  /// The longest text that is logged in full, in Unicode scalars.
  static let longestText = 8192

  /// Unix milliseconds.
  package let time: Int64
  package let level: Logger.Level
  package let label: String
  package let message: String
  package let metadata: Logger.Metadata
}

/// The format of a log line.
package enum LogFormat: String, Sendable, CaseIterable {
  /// For people: time, level, label, message, then metadata as `key=value`.
  case text
  /// For machines: one JSON object per line.
  case json
}

/// A record as one line for people.
///
///     2025-01-31T23:59:59.123Z info gateway: listening address=127.0.0.1:8080
enum TextLine {
  /// Whether the level may be coloured, which is only useful on a terminal.
  enum Style: Sendable {
    case plain
    case coloured
  }

  /// Formats a record, including the line feed.
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

  /// Returns a plain word unchanged, and anything else in quotes.
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

/// A record as one JSON object on its own line.
///
/// The members are `time`, `level`, `label`, `message`, and the object `metadata` if there is any.
enum JSONLine {
  /// Formats a record, including the line feed.
  static func format(_ record: LogRecord) -> String {
    var line = "{\"time\":\"\(UTCTime.format(record.time))\""
    line += ",\"level\":\"\(record.level.rawValue)\""
    line += ",\"label\":\(quoted(record.label)),\"message\":\(quoted(record.message))"
    if !record.metadata.isEmpty {
      line += ",\"metadata\":\(object(record.metadata))"
    }
    return line + "}\n"
  }

  private static func object(_ metadata: Logger.Metadata) -> String {
    let members = metadata.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\(json($0.value))" }
    return "{\(members.joined(separator: ","))}"
  }

  private static func json(_ value: Logger.Metadata.Value) -> String {
    switch value {
    case .string(let text): quoted(text)
    case .stringConvertible(let value): quoted(value.description)
    case .array(let values): "[\(values.map(json).joined(separator: ","))]"
    case .dictionary(let values): object(values)
    }
  }

  private static func quoted(_ text: String) -> String {
    var output = "\""
    for scalar in text.unicodeScalars.prefix(LogRecord.longestText) { append(scalar, to: &output) }
    if text.unicodeScalars.dropFirst(LogRecord.longestText).first != nil { output += "…" }
    return output + "\""
  }

  private static func append(_ scalar: Unicode.Scalar, to output: inout String) {
    switch scalar {
    case "\"": output += "\\\""
    case "\\": output += "\\\\"
    case "\n": output += "\\n"
    case "\r": output += "\\r"
    case "\t": output += "\\t"
    case _ where scalar.isUnseen:
      for unit in String(scalar).utf16 { output += escape(unit) }
    default: output.unicodeScalars.append(scalar)
    }
  }

  private static func escape(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }
}
