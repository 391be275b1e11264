/// A value for a placeholder of a statement.
package enum PostgreSQLValue: Hashable, Sendable {
  case null
  /// `bigint`.
  case integer(Int64)
  /// `boolean`.
  case boolean(Bool)
  /// `text`; without the character U+0000, which PostgreSQL cannot store.
  case text(String)
  /// `bytea`.
  case bytes([UInt8])
  /// `bigint[]`.
  case integers([Int64?])
  /// `text[]`.
  case texts([String?])
  /// `bytea[]`.
  case byteStrings([[UInt8]?])
}

/// Types by their object identifiers, as listed in `pg_type.dat` of PostgreSQL; they never change.
enum PostgreSQLType {
  static let boolean: UInt32 = 16
  static let bytes: UInt32 = 17
  static let integer: UInt32 = 20
  static let shortInteger: UInt32 = 21
  static let mediumInteger: UInt32 = 23
  static let text: UInt32 = 25
  static let double: UInt32 = 701
  static let byteStrings: UInt32 = 1001
  static let texts: UInt32 = 1009
  static let integers: UInt32 = 1016
}

extension PostgreSQLValue {
  /// The type that the server should assume for the value; 0 leaves it to the statement.
  var type: UInt32 {
    switch self {
    case .null: 0
    case .integer: PostgreSQLType.integer
    case .boolean: PostgreSQLType.boolean
    case .text: PostgreSQLType.text
    case .bytes: PostgreSQLType.bytes
    case .integers: PostgreSQLType.integers
    case .texts: PostgreSQLType.texts
    case .byteStrings: PostgreSQLType.byteStrings
    }
  }

  /// Appends the value in the server's binary form; nothing for NULL.
  func encode(into bytes: inout [UInt8]) {
    switch self {
    case .null: break
    case .integer(let number): bytes.append(bigEndian: number)
    case .boolean(let isTrue): bytes.append(isTrue ? 1 : 0)
    case .text(let text): bytes.append(contentsOf: text.utf8)
    case .bytes(let value): bytes.append(contentsOf: value)
    case .integers(let items):
      bytes.append(arrayOf: PostgreSQLType.integer, items) { $1.append(bigEndian: $0) }
    case .texts(let items):
      bytes.append(arrayOf: PostgreSQLType.text, items) { $1.append(contentsOf: $0.utf8) }
    case .byteStrings(let items):
      bytes.append(arrayOf: PostgreSQLType.bytes, items) { $1.append(contentsOf: $0) }
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  /// Appends an array of one dimension: dimensions, whether there are NULLs, the type, length, first
  /// index, and each item after its length (`array_recv` in `arrayfuncs.c` of PostgreSQL).
  fileprivate mutating func append<Item>(
    arrayOf type: UInt32, _ items: [Item?], _ encode: (Item, inout [UInt8]) -> Void
  ) {
    let hasNulls = items.contains { $0 == nil }
    append(bigEndian: Int32(items.isEmpty ? 0 : 1))
    append(bigEndian: Int32(hasNulls ? 1 : 0))
    append(bigEndian: type)
    guard !items.isEmpty else { return }
    append(bigEndian: Int32(items.count))
    append(bigEndian: Int32(1))
    for item in items {
      guard let item else {
        append(bigEndian: Int32(-1))
        continue
      }
      let start = count
      append(bigEndian: Int32(0))
      encode(item, &self)
      let length = Int32(count - start - 4)
      Swift.withUnsafeBytes(of: length.bigEndian) { replaceSubrange(start..<start + 4, with: $0) }
    }
  }
}
