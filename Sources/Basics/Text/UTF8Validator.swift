/// Checks that a stream of bytes, split anywhere, is well-formed UTF-8 (RFC 3629).
///
/// Fails at the first byte that makes the stream invalid: overlong forms, surrogates and scalars above
/// U+10FFFF are refused at their second byte. A failure is final.
package struct UTF8Validator: Sendable {
  /// The number of continuation bytes that the current scalar still needs.
  private var missing: UInt8 = 0
  /// The allowed range of the next continuation byte.
  private var lowest: UInt8 = 0x80
  private var highest: UInt8 = 0xBF

  /// Makes a validator for the start of a stream.
  package init() {}

  /// Whether the bytes so far end with a complete scalar.
  package var isComplete: Bool { missing == 0 }

  /// Checks the next bytes of the stream.
  ///
  /// - Returns: `false` when the stream is invalid, and in every later call.
  package mutating func validate(_ bytes: Span<UInt8>) -> Bool {
    bytes.withUnsafeBytes { validate($0) }
  }

  private mutating func validate(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      if missing == 0 {
        index = Self.endOfASCII(in: bytes, from: index)
        if index == bytes.count { return true }
      }
      guard accept(bytes[index]) else {
        refuseEverything()
        return false
      }
      index += 1
    }
    return !hasRefused
  }

  /// Skips ASCII 32 and eight bytes at a time: a word without a high bit contains eight whole scalars.
  private static func endOfASCII(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index + 32 <= bytes.count {
      let words = bytes.loadUnaligned(fromByteOffset: index, as: SIMD4<UInt64>.self)
      if (words[0] | words[1] | words[2] | words[3]) & 0x8080_8080_8080_8080 != 0 { break }
      index += 32
    }
    while index + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { break }
      index += 8
    }
    while index < bytes.count, bytes[index] < 0x80 { index += 1 }
    return index
  }

  private mutating func accept(_ byte: UInt8) -> Bool {
    guard missing > 0 else { return begin(byte) }
    guard byte >= lowest, byte <= highest else { return false }
    missing -= 1
    (lowest, highest) = (0x80, 0xBF)
    return true
  }

  /// Processes the first byte of a scalar; the ranges are those of RFC 3629 §4.
  private mutating func begin(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x00...0x7F: return true
    case 0xC2...0xDF: missing = 1
    case 0xE0: (missing, lowest) = (2, 0xA0)
    case 0xED: (missing, highest) = (2, 0x9F)
    case 0xE1...0xEF: missing = 2
    case 0xF0: (missing, lowest) = (3, 0x90)
    case 0xF1...0xF3: missing = 3
    case 0xF4: (missing, highest) = (3, 0x8F)
    default: return false
    }
    return true
  }

  private var hasRefused: Bool { lowest > highest }

  /// Sets an empty range for the next byte, so that every further byte is invalid.
  private mutating func refuseEverything() {
    (missing, lowest, highest) = (1, 0xFF, 0x00)
  }
}

extension String {
  /// Decodes UTF-8; `nil` for bytes that are not well-formed.
  ///
  /// `String.init(validating:as:)` is not available on all platforms of the client library.
  package init?(wellFormed bytes: [UInt8]) {
    var validator = UTF8Validator()
    let isValid = bytes.withUnsafeBufferPointer { validator.validate($0.span) }
    guard isValid, validator.isComplete else { return nil }
    self.init(decoding: bytes, as: UTF8.self)
  }
}
