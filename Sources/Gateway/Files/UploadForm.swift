import ParleyProtocol
import Store

/// The fields of a form that sends a message, turned into the body that JSON would have had.
struct UploadForm {
  private static let texts: Set = [
    "message_type", "user_id", "message", "custom_type", "data", "mention_type", "dedup_id", "url",
    "file_name", "file_type",
  ]
  private static let numbers: Set = ["file_size"]
  private static let lists: Set = ["mentioned_user_ids", "sorted_metaarray"]

  /// What came under each name, in order.
  private var values: [String: [[UInt8]]] = [:]

  /// Whether a field has a meaning here; others are ignored, as are unknown members of JSON.
  static func isKnown(_ name: String) -> Bool {
    texts.contains(name) || numbers.contains(name) || lists.contains(name)
  }

  /// Adds a field that is known.
  mutating func add(_ name: String, _ value: [UInt8]) {
    values[name, default: []].append(value)
  }

  /// The name that the form gives the file.
  func text(_ name: String) throws(ServiceError) -> String? {
    guard let value = values[name]?.last else { return nil }
    guard let text = String(validating: value, as: UTF8.self) else {
      throw ServiceError(.characterNotAllowed, "'\(name)' is not valid UTF-8", field: name)
    }
    return text
  }

  /// The body; what is known of an uploaded file replaces what the form says of one.
  func body(_ file: MessageFile?) throws(ServiceError) -> [UInt8] {
    var members: [(name: String, json: [UInt8])] = []
    for name in values.keys.sorted() where file == nil || !Self.replaced.contains(name) {
      if let json = try json(name) { members.append((name, json)) }
    }
    return JSONWriter.bytes { writer in
      writer.object {
        for member in members {
          $0.name(escaping: member.name)
          $0.value(raw: member.json)
        }
        file?.encodeMembers(into: &$0)
      }
    }
  }

  private static let replaced: Set = ["url", "file_name", "file_type", "file_size"]

  /// A field's value as JSON; `nil` for an empty one where that stands for none.
  private func json(_ name: String) throws(ServiceError) -> [UInt8]? {
    let text = try text(name) ?? ""
    if Self.texts.contains(name) { return JSONWriter.bytes { $0.value(text) } }
    guard !text.isEmpty else { return nil }
    if Self.numbers.contains(name) {
      guard let number = Int64(text) else { throw .notNumber(name) }
      return JSONWriter.bytes { $0.value(number) }
    }
    return try list(name, text)
  }

  /// A list is JSON, or the form has its texts one by one or between commas.
  private func list(_ name: String, _ text: String) throws(ServiceError) -> [UInt8] {
    if text.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "[") {
      do throws(JSONError) { _ = try JSONDocument(text) } catch {
        throw ServiceError(.bodyNotJSON, "'\(name)' is not valid JSON: \(error)", field: name)
      }
      return Array(text.utf8)
    }
    guard name != "sorted_metaarray" else { throw .notList(name) }
    var texts: [String] = []
    for value in values[name] ?? [] {
      guard let part = String(validating: value, as: UTF8.self) else {
        throw ServiceError(.characterNotAllowed, "'\(name)' is not valid UTF-8", field: name)
      }
      texts += part.split(separator: ",").map(String.init)
    }
    return JSONWriter.bytes { writer in writer.array { for text in texts { $0.value(text) } } }
  }
}

extension MessageFile {
  fileprivate func encodeMembers(into writer: inout JSONWriter) {
    writer.member("url", url)
    writer.member("file_name", name)
    writer.member("file_type", type)
    writer.member("file_size", size)
  }
}
