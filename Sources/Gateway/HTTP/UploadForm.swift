import ParleyProtocol

/// The fields of a form, as they arrive.
struct UploadForm {
  /// The bytes under each name, in order.
  private var values: [String: [[UInt8]]] = [:]

  /// Adds a field that is known.
  mutating func add(_ name: String, _ value: [UInt8]) {
    values[name, default: []].append(value)
  }

  /// The last text under a name; `nil` when there is none, or an empty one.
  func text(_ name: String) throws(ServiceError) -> String? {
    guard let value = values[name]?.last else { return nil }
    let text = try Self.text(value, name)
    return text.isEmpty ? nil : text
  }

  /// Returns all fields; those of an uploaded file replace the file fields of the form.
  func fields(
    _ file: MessageFile?, limits: CustomDataLimits
  ) throws(ServiceError) -> Fields {
    var texts: [String: [String]] = [:]
    if let file {
      texts["url"] = [file.url]
      texts["file_name"] = [file.name]
      texts["file_type"] = [file.type]
      texts["file_size"] = [String(file.size)]
    }
    for name in values.keys.sorted() where texts[name] == nil {
      var decoded: [String] = []
      for value in values[name] ?? [] { decoded.append(try Self.text(value, name)) }
      texts[name] = decoded
    }
    return Fields(form: texts, limits: limits)
  }

  /// The texts under each name.
  func texts() throws(ServiceError) -> [String: [String]] {
    var texts: [String: [String]] = [:]
    for (name, values) in values {
      var decoded: [String] = []
      for value in values { decoded.append(try Self.text(value, name)) }
      texts[name] = decoded
    }
    return texts
  }

  private static func text(_ value: [UInt8], _ name: String) throws(ServiceError) -> String {
    guard let text = String(validating: value, as: UTF8.self) else {
      throw ServiceError(.characterNotAllowed, "'\(name)' is not valid UTF-8", field: name)
    }
    return text
  }
}
