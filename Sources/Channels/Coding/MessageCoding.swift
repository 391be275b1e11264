import ParleyProtocol

/// A value in messages between shards, with exactly one encoding.
///
/// Only that encoding is decoded. Numbers have a fixed width and are little-endian; lists and texts
/// begin with their length in four bytes; an enum begins with the number of its case, which is
/// never reused for another case.
package protocol MessageCodable {
  func encode(into writer: inout MessageWriter)

  /// - Throws: For bytes that are not the encoding of a value.
  init(from reader: inout MessageReader) throws(MessageDecodingError)

  /// Encodes the elements of a list; bytes are copied as a block.
  static func encode(elements: [Self], into writer: inout MessageWriter)

  /// Decodes the elements of a list.
  static func elements(
    _ count: Int, from reader: inout MessageReader
  ) throws(MessageDecodingError) -> [Self]
}

/// The reason why bytes are not a message.
package enum MessageDecodingError: Error, Sendable, Hashable {
  /// The bytes end early, or a length points beyond them.
  case truncated
  /// More bytes follow the value.
  case excessive
  /// A number that is not assigned to a case.
  case unknownCase
  /// A value that no shard would send.
  case invalidValue
  /// Another version of the format, or more bytes than the limit of a message.
  case unsupported
}

extension MessageCodable {
  package static func encode(elements: [Self], into writer: inout MessageWriter) {
    for element in elements { element.encode(into: &writer) }
  }

  package static func elements(
    _ count: Int, from reader: inout MessageReader
  ) throws(MessageDecodingError) -> [Self] {
    var list: [Self] = []
    // A length costs its sender nothing: memory is allocated as elements are decoded.
    list.reserveCapacity(min(count, 64))
    for _ in 0..<count { list.append(try Self(from: &reader)) }
    return list
  }
}

/// The ranges of integers in messages.
///
/// A forged number could otherwise crash the process in the first sum or index that uses it.
extension ClosedRange<Int64> {
  /// The numbers that are exact in JavaScript: every number in a message, unless documented otherwise.
  static var exactIntegers: ClosedRange<Int64> { -(1 << 53) + 1...(1 << 53) - 1 }

  /// The positions of events in a channel; 0 is before the first.
  static var positions: ClosedRange<Int64> { 0...(1 << 53) - 1 }

  /// Counts of things in memory.
  ///
  /// The sum of as many counts as fit into a message has 64 bits at most.
  static var counts: ClosedRange<Int64> { 0...(1 << 32) - 1 }

  /// The indexes of calls in their batches; negative for a part of a call.
  static var ticketIndexes: ClosedRange<Int64> { -(1 << 32)...(1 << 32) - 1 }

  /// The seconds of a mute or ban; -1 for ten years.
  static var restrictionSeconds: ClosedRange<Int64> { -1...Limits.restrictionSeconds }
}

/// The bytes of a message that is being encoded.
package struct MessageWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func write(_ value: some MessageCodable) { value.encode(into: &self) }

  mutating func write(case number: UInt8) { bytes.append(number) }

  mutating func write(count: Int) { write(number: UInt32(count)) }

  mutating func write(number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func write(bytes more: some Collection<UInt8>) { bytes.append(contentsOf: more) }
}

/// The bytes of a message that are not decoded yet.
package struct MessageReader {
  private let bytes: [UInt8]
  private var position = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads the version of the data that follows.
  mutating func readVersion() throws(MessageDecodingError) {
    guard try readNumber() == MessageVersion.current else { throw .unsupported }
  }

  /// The number of bytes left.
  package var count: Int { bytes.count - position }

  package mutating func read<Value: MessageCodable>(
    _: Value.Type = Value.self
  ) throws(MessageDecodingError) -> Value {
    try Value(from: &self)
  }

  /// The number of a case.
  mutating func readCase() throws(MessageDecodingError) -> UInt8 { try readNumber() }

  /// A length; each element has at least one byte.
  mutating func readCount() throws(MessageDecodingError) -> Int {
    let count = Int(try readNumber(UInt32.self))
    guard count <= self.count else { throw .truncated }
    return count
  }

  mutating func readNumber<Number: FixedWidthInteger>(
    _: Number.Type = Number.self
  ) throws(MessageDecodingError) -> Number {
    var number: Number = 0
    for (index, byte) in try read(byteCount: Number.bitWidth / 8).enumerated() {
      number |= Number(truncatingIfNeeded: byte) << (index * 8)
    }
    return number
  }

  /// Reads an integer in a range.
  ///
  /// - Throws: ``MessageDecodingError/invalidValue`` for a number outside of `range`.
  mutating func readInteger<Number: BinaryInteger>(
    in range: ClosedRange<Int64>, _: Number.Type = Number.self
  ) throws(MessageDecodingError) -> Number {
    let number: Int64 = try readNumber()
    guard range.contains(number) else { throw .invalidValue }
    return Number(number)
  }

  mutating func read(byteCount: Int) throws(MessageDecodingError) -> ArraySlice<UInt8> {
    guard byteCount <= count else { throw .truncated }
    defer { position += byteCount }
    return bytes[position..<position + byteCount]
  }
}
