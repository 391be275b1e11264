import ParleyProtocol

/// The JSON columns; their format belongs to the store and is independent of the wire format.
enum StoredJSON {
  /// Larger than anything the store writes, so that only damaged values are rejected.
  private static let limits = JSONLimits(byteCount: 67_108_864, depth: 32, nodeCount: 1_000_000)

  static func encode(_ value: some StoredValue) -> String {
    String(decoding: JSONWriter.bytes { value.write(to: &$0) }, as: UTF8.self)
  }

  static func decode<T: StoredValue>(_ type: T.Type, from text: String) throws -> T {
    do {
      return try T(stored: try JSONDocument(text, limits: limits).root)
    } catch let error as JSONError {
      throw StoreError.damaged(path: "a JSON column", reason: error.reason)
    } catch let error as StoredShapeError {
      throw StoreError.damaged(path: "a JSON column", reason: error.reason)
    }
  }

  /// `NULL` stands for an empty list or map, by far the most common values.
  static func encodeUnlessEmpty(_ value: some StoredValue & Collection) -> String? {
    value.isEmpty ? nil : encode(value)
  }
}

/// A value of a JSON column.
protocol StoredValue {
  init(stored node: JSONNode) throws(StoredShapeError)

  func write(to writer: inout JSONWriter)
}

/// JSON with a structure different from the column's.
struct StoredShapeError: Error, Equatable {
  let reason: String

  init(expected: String) {
    reason = "\(expected) is expected"
  }
}

extension String: StoredValue {
  init(stored node: JSONNode) throws(StoredShapeError) {
    guard let text = node.string else { throw StoredShapeError(expected: "a text") }
    self = text
  }

  func write(to writer: inout JSONWriter) { writer.value(self) }
}

extension Bool: StoredValue {
  init(stored node: JSONNode) throws(StoredShapeError) {
    guard let claim = node.bool else { throw StoredShapeError(expected: "true or false") }
    self = claim
  }

  func write(to writer: inout JSONWriter) { writer.value(self) }
}

extension StoredValue where Self: FixedWidthInteger {
  init(stored node: JSONNode) throws(StoredShapeError) {
    guard let number = node.integer.flatMap(Self.init(exactly:)) else {
      throw StoredShapeError(expected: "a whole number of at most \(Self.bitWidth) bits")
    }
    self = number
  }

  func write(to writer: inout JSONWriter) { writer.value(Int64(self)) }
}

extension Int: StoredValue {}
extension Int32: StoredValue {}
extension Int64: StoredValue {}

extension Array: StoredValue where Element: StoredValue {
  init(stored node: JSONNode) throws(StoredShapeError) {
    guard node.kind == .array else { throw StoredShapeError(expected: "a list") }
    self = []
    for element in node.elements { append(try Element(stored: element)) }
  }

  func write(to writer: inout JSONWriter) {
    writer.array { for element in self { element.write(to: &$0) } }
  }
}

extension Dictionary: StoredValue where Key == String, Value == String {
  init(stored node: JSONNode) throws(StoredShapeError) {
    guard node.kind == .object else { throw StoredShapeError(expected: "a map of texts") }
    self = [:]
    for (name, member) in node.members { self[name] = try String(stored: member) }
  }

  func write(to writer: inout JSONWriter) {
    writer.object {
      for (name, text) in sorted(by: { $0.key < $1.key }) {
        $0.name(escaping: name)
        $0.value(text)
      }
    }
  }
}
