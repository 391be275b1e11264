internal import Basics

/// Raw text of a page: its character set is unknown, its references are not decoded.
struct HTMLText: Hashable {
  private(set) var bytes: [UInt8] = []
  /// Whether bytes were dropped because they did not fit.
  private(set) var isTruncated = false
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Clears the text; its memory is reused unless the bytes were copied.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    isTruncated = false
  }

  mutating func append(_ byte: UInt8) {
    if bytes.count < limit { bytes.append(byte) } else { isTruncated = true }
  }

  mutating func append(_ more: Slice<UnsafeBufferPointer<UInt8>>) {
    let room = limit - bytes.count
    bytes.append(contentsOf: more.prefix(room))
    if more.count > room { isTruncated = true }
  }
}

extension HTMLText {
  /// Whether the text has no value: it is blank, or a placeholder.
  var saysNothing: Bool { isBlank || Placeholder.isText(bytes) }

  /// Whether the text has no visible characters.
  ///
  /// A text that starts with a kilobyte of invisible characters counts as blank, so that the check
  /// is cheap for any page.
  var isBlank: Bool {
    var index = 0
    while index < min(bytes.count, 1_024) {
      let length = Self.lengthOfInvisible(bytes[index...])
      guard length > 0 else { return false }
      index += length
    }
    return true
  }

  /// Returns the length of an invisible character or reference at the front, in bytes; 0 for none.
  private static func lengthOfInvisible(_ text: ArraySlice<UInt8>) -> Int {
    guard let first = text.first else { return 0 }
    if first <= 0x20 || first == 0x7f { return 1 }
    if first == UInt8(ascii: "&") {
      guard let (value, length) = CharacterReferences.reference(in: text.dropFirst(), .attribute),
        value.unicodeScalars.allSatisfy(DisplayText.isBlank)
      else { return 0 }
      return 1 + length
    }
    guard first >= 0xc2, let (scalar, length) = text.multibyteScalar else { return 0 }
    return DisplayText.isBlank(scalar) ? length : 0
  }

  /// Whether the bytes are valid UTF-8, except for a character truncated at the end.
  var isValidUTF8: Bool {
    if String(validating: bytes, as: UTF8.self) != nil { return true }
    return isTruncated
      && (1...3).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
  }
}

extension ArraySlice where Element == UInt8 {
  /// The UTF-8 character of two to four bytes at the front.
  fileprivate var multibyteScalar: (Unicode.Scalar, length: Int)? {
    guard let lead = first, lead < 0xf5 else { return nil }
    let length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
    guard count >= length else { return nil }
    var number = UInt32(lead) & (0xff >> UInt32(length + 1))
    for byte in self[(startIndex + 1)..<(startIndex + length)] {
      guard byte & 0xc0 == 0x80 else { return nil }
      number = number << 6 | UInt32(byte & 0x3f)
    }
    guard number >= [0x80, 0x800, 0x10000][length - 2] else { return nil }
    return Unicode.Scalar(number).map { ($0, length) }
  }
}
