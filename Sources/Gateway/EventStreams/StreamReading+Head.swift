import Channels
import HTTP
import ParleyProtocol

extension StreamReading {
  /// Reads the parameters of a request for events.
  ///
  /// - Throws: 400111 for a value that is not a number, 400113 for a padding that is too long.
  init(_ head: HTTPRequestHead) throws(ServiceError) {
    let query = try StreamQuery(head, names: ["after", "poll", "padding"])
    let padding = try query.number("padding") ?? 0
    guard padding <= Self.maximumPadding else {
      throw .outOfRange("padding", Int64(clamping: padding), 0...Int64(Self.maximumPadding))
    }
    let isPoll: Bool
    switch query["poll"] {
    case nil, "0": isPoll = false
    case "1": isPoll = true
    case .some(let text):
      throw ServiceError(
        .invalidValue, "'poll' must be 0 or 1, not \(String(text.prefix(20)).debugDescription)",
        field: "poll")
    }
    self.init(after: try query.position(head), isPoll: isPoll, padding: Int(padding))
  }
}

/// The query of a request to a stream.
struct StreamQuery {
  private let values: [String: String]

  /// - Throws: 400111 for a name that is not one of `names`.
  init(_ head: HTTPRequestHead, names: [String]) throws(ServiceError) {
    guard let query = QueryParameters(head.query) else {
      throw ServiceError(
        .characterNotAllowed, "the target's percent-encoding is broken or not UTF-8")
    }
    if let name = query.values.keys.sorted().first(where: { !names.contains($0) }) {
      throw ServiceError(
        .invalidValue,
        "there is no parameter of this name: expected \(names.joined(separator: " or "))",
        field: String(name.prefix(40)))
    }
    values = query.values
  }

  subscript(name: String) -> String? { values[name] }

  func number(_ name: String) throws(ServiceError) -> UInt64? {
    guard let text = values[name] else { return nil }
    return try Self.number(text, name)
  }

  /// The last event that the client has received; 0 for none.
  func position(_ head: HTTPRequestHead) throws(ServiceError) -> UInt64 {
    guard let lastID = try head.onlyValue(of: "Last-Event-ID") else {
      return try number("after") ?? 0
    }
    return try Self.number(lastID, "Last-Event-ID")
  }

  private static func number(_ text: String, _ field: String) throws(ServiceError) -> UInt64 {
    guard let number = UInt64(text), number < .max, !text.hasPrefix("+") else {
      throw ServiceError(
        .invalidValue,
        "'\(field)' must be a number from 0, not \(String(text.prefix(20)).debugDescription)",
        field: field)
    }
    return number
  }
}
