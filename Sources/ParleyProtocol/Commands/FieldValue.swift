internal import Basics

/// One value of ``Fields`` in the form of its source: JSON values have their own types, and a text is
/// converted to the expected type.
///
/// The readers take the name of the field for error messages.
enum FieldValue: Sendable {
  case json(JSONNode)
  /// A text from a query, or an item of a list.
  case text(String)
  /// All texts of a form with one name, in order; if one is expected, the last counts.
  case texts([String])

  func string(_ name: String) throws(ServiceError) -> String {
    switch self {
    case .json(let node):
      guard let text = node.string else { throw .notString(name) }
      return text
    case .text(let text): return text
    case .texts(let texts): return texts.last ?? ""
    }
  }

  /// A text of at most `limit` characters.
  func text(_ name: String, limit: Int) throws(ServiceError) -> String {
    let text = try string(name)
    // A text never has more characters than bytes, so most texts need no counting.
    guard text.utf8.count <= limit || text.unicodeScalars.count <= limit else {
      throw .tooLong(name, limit: limit)
    }
    try checkNUL(text, name)
    return text
  }

  /// A text of at most `byteLimit` bytes.
  func data(_ name: String, byteLimit: Int) throws(ServiceError) -> String {
    let text = try string(name)
    guard text.utf8.count <= byteLimit else {
      throw .tooLong(name, limit: byteLimit, unit: .bytes)
    }
    try checkNUL(text, name)
    return text
  }

  func userID(_ name: String) throws(ServiceError) -> String {
    let id = try string(name)
    try UserID.check(id, name)
    return id
  }

  /// A boolean; `nil` for an empty text.
  func boolean(_ name: String) throws(ServiceError) -> Bool? {
    switch self {
    case .json(let node):
      guard let claim = node.bool else { throw .notBoolean(name) }
      return claim
    case .text, .texts:
      switch try string(name).lowercased() {
      case "": return nil
      case "true": return true
      case "false": return false
      default: throw .notBoolean(name)
      }
    }
  }

  /// A whole number; `nil` for an empty text.
  func integer(_ name: String) throws(ServiceError) -> Int64? {
    switch self {
    case .json(let node): return try Self.integer(node, name)
    case .text, .texts:
      let text = try string(name)
      guard !text.isEmpty else { return nil }
      guard let number = Int64(text) else { throw .notNumber(name) }
      return number
    }
  }

  /// The value as a JSON object.
  func object(_ name: String) throws(ServiceError) -> JSONNode {
    guard case .json(let node) = self, node.kind == .object else { throw .notObject(name) }
    return node
  }

  /// The items of a list, at most `limit`; `nil` for an empty text.
  func items(_ name: String, limit: Int) throws(ServiceError) -> [FieldValue]? {
    var items: [FieldValue] = []
    switch self {
    case .json(let node):
      for element in try Self.elements(node, name, limit: limit) { items.append(.json(element)) }
    case .text(let text):
      items = text.split(separator: ",").map { .text(String($0)) }
      // An empty filter would select everything.
      guard !items.isEmpty else { throw .missing(name) }
    case .texts(let texts):
      guard let last = texts.last, !last.isEmpty else { return nil }
      if let list = try Self.json(last, name, beginningWith: "[") {
        for element in try Self.elements(list, name, limit: limit) { items.append(.json(element)) }
      } else {
        items = texts.flatMap { $0.split(separator: ",") }.map { .text(String($0)) }
      }
    }
    guard items.count <= limit else { throw .tooMany(name, limit: limit) }
    return items
  }

  /// The items of a list that is only possible in JSON; `nil` for an empty text.
  ///
  /// A form may contain an object for each item instead of a list.
  func nodes(_ name: String, limit: Int) throws(ServiceError) -> [JSONNode]? {
    switch self {
    case .json(let node): return try Self.elements(node, name, limit: limit)
    case .text: throw .notList(name)
    case .texts(let texts):
      guard let last = texts.last, !last.isEmpty else { return nil }
      if let list = try Self.json(last, name, beginningWith: "[") {
        return try Self.elements(list, name, limit: limit)
      }
      guard texts.count <= limit else { throw .tooMany(name, limit: limit) }
      var objects: [JSONNode] = []
      for text in texts {
        guard let object = try Self.json(text, name, beginningWith: "{") else {
          throw .notList(name)
        }
        objects.append(object)
      }
      return objects
    }
  }

  /// The JSON in a text whose first non-white-space character is this one; `nil` for another text.
  private static func json(
    _ text: String, _ name: String, beginningWith first: Unicode.Scalar
  ) throws(ServiceError) -> JSONNode? {
    guard text.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: first) else { return nil }
    do throws(JSONError) { return try JSONDocument(text).root } catch {
      throw ServiceError(.bodyNotJSON, "'\(name)' is not valid JSON: \(error)", field: name)
    }
  }

  private static func elements(
    _ node: JSONNode, _ name: String, limit: Int
  ) throws(ServiceError) -> [JSONNode] {
    guard node.kind == .array else { throw .notList(name) }
    var elements: [JSONNode] = []
    for element in node.elements {
      guard elements.count < limit else { throw .tooMany(name, limit: limit) }
      elements.append(element)
    }
    return elements
  }

  /// - Throws: 400111 for a number with a fraction, 400113 for one that exceeds 64 bits.
  private static func integer(_ node: JSONNode, _ name: String) throws(ServiceError) -> Int64 {
    guard node.kind == .number else { throw .notNumber(name) }
    if let number = node.integer { return number }
    let text = String(decoding: node.raw.prefix(64), as: UTF8.self)
    // A number that is not exact within ±2^53 has a fraction.
    guard let number = node.number, number.magnitude <= Double(Limits.messageIDs.upperBound) else {
      throw ServiceError(.outOfRange, "'\(name)' is \(DisplayText.excerpt(text))", field: name)
    }
    throw .invalid(name, text, expected: "a whole number")
  }

  /// U+0000 is refused because it terminates texts in too many other programs, including databases.
  private func checkNUL(_ text: String, _ name: String) throws(ServiceError) {
    // In JSON only an escape can produce it.
    if case .json(let node) = self, !node.hasEscapes { return }
    guard !text.utf8.contains(0) else {
      throw .character("\u{0}", in: name, allowed: "all but U+0000")
    }
  }
}
