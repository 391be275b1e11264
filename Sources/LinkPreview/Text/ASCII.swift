extension UInt8 {
  var isASCIIDigit: Bool { self &- 0x30 < 10 }
  var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }
  var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIILetter }
  var isASCIIHexDigit: Bool { isASCIIDigit || (self | 0x20) &- 0x61 < 6 }
  /// Tab, line feed, form feed, carriage return or space: HTML's white space.
  var isHTMLWhitespace: Bool {
    self == 0x20 || self == 0x0a || self == 0x09 || self == 0x0d || self == 0x0c
  }
  /// The lower-case letter for an upper-case one, otherwise the byte itself.
  var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension Collection where Element == UInt8 {
  /// Returns the bytes without ASCII white space and control characters at either end.
  func trimmingASCIIWhitespace() -> SubSequence {
    guard let start = firstIndex(where: { $0 > 0x20 }) else { return self[endIndex...] }
    var end = start
    var index = start
    while index != endIndex {
      let next = self.index(after: index)
      if self[index] > 0x20 { end = next }
      index = next
    }
    return self[start..<end]
  }

  /// Returns the bytes with ASCII letters in lower case.
  func asciiLowercased() -> [UInt8] { map(\.asciiLowercased) }
}
