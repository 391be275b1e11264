extension UInt8: MessageCodable {
  package func encode(into writer: inout MessageWriter) { writer.write(number: self) }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self = try reader.readNumber()
  }

  package static func encode(elements: [UInt8], into writer: inout MessageWriter) {
    writer.write(bytes: elements)
  }

  package static func elements(
    _ count: Int, from reader: inout MessageReader
  ) throws(MessageDecodingError) -> [UInt8] {
    Array(try reader.read(byteCount: count))
  }
}

extension UInt16: MessageCodable {
  package func encode(into writer: inout MessageWriter) { writer.write(number: self) }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self = try reader.readNumber()
  }
}

extension UInt64: MessageCodable {
  package func encode(into writer: inout MessageWriter) { writer.write(number: self) }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self = try reader.readNumber()
  }
}

extension Int64: MessageCodable {
  package func encode(into writer: inout MessageWriter) { writer.write(number: self) }

  /// Decodes a number that is exact in JavaScript, like all numbers of the API.
  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self = try reader.readInteger(in: .exactIntegers)
  }
}

extension Int: MessageCodable {
  package func encode(into writer: inout MessageWriter) { Int64(self).encode(into: &writer) }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self = Int(try Int64(from: &reader))
  }
}

extension Bool: MessageCodable {
  package func encode(into writer: inout MessageWriter) { writer.write(case: self ? 1 : 0) }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = false
    case 1: self = true
    default: throw .unknownCase
    }
  }
}

extension String: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(count: utf8.count)
    writer.write(bytes: utf8)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    let count = try reader.readCount()
    guard let text = String(validating: try reader.read(byteCount: count), as: UTF8.self) else {
      throw .invalidValue
    }
    self = text
  }
}

extension Array: MessageCodable where Element: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(count: count)
    Element.encode(elements: self, into: &writer)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self = try Element.elements(try reader.readCount(), from: &reader)
  }
}

extension Optional: MessageCodable where Wrapped: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(self != nil)
    if let self { writer.write(self) }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self = try reader.read(Bool.self) ? try Wrapped(from: &reader) : nil
  }
}

extension Dictionary: MessageCodable where Key == String, Value == String {
  /// Sorted by the keys' bytes, so that equal values have equal encodings.
  package func encode(into writer: inout MessageWriter) {
    writer.write(count: count)
    for key in keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      writer.write(key)
      writer.write(self[key] ?? "")
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self = [:]
    var last: String?
    for _ in 0..<(try reader.readCount()) {
      let (key, value) = (try reader.read(String.self), try reader.read(String.self))
      if let last, !last.utf8.lexicographicallyPrecedes(key.utf8) { throw .invalidValue }
      // Canonically equivalent strings are one key.
      guard updateValue(value, forKey: key) == nil else { throw .invalidValue }
      last = key
    }
  }
}

extension MessageCodable where Self: RawRepresentable, RawValue == String {
  package func encode(into writer: inout MessageWriter) { writer.write(rawValue) }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    guard let value = Self(rawValue: try reader.read()) else { throw .unknownCase }
    self = value
  }
}
