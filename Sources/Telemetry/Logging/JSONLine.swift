internal import Basics
internal import Logging

/// A record as one JSON object on a line of its own.
///
/// Members: `time`, `level`, `label`, `message`, and `metadata`, an object, when there is any.
enum JSONLine {
  /// Formats a record, the line feed at its end included.
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
