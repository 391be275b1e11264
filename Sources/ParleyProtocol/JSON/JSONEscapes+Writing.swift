extension JSONEscapes {
  /// Appends a string in quotation marks, escaping only what must be (RFC 8259 §7).
  static func appendQuoted(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { append($0, to: &bytes) }
    bytes.append(UInt8(ascii: "\""))
  }

  /// How many bytes a byte of a string becomes.
  static func byteCount(writing byte: UInt8) -> Int {
    guard needsEscape(byte) else { return 1 }
    switch byte {
    case 0x22, 0x5c, 0x08, 0x09, 0x0a, 0x0c, 0x0d: return 2
    default: return 6
    }
  }

  /// Copies the runs between escapes whole.
  private static func append(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
    var runStart = 0
    for index in text.indices where needsEscape(text[index]) {
      bytes.append(contentsOf: text[runStart..<index])
      appendEscaped(text[index], to: &bytes)
      runStart = index + 1
    }
    bytes.append(contentsOf: text[runStart...])
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x22 || byte == 0x5c
  }

  private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x22, 0x5c: bytes.append(byte)
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0a: bytes.append(UInt8(ascii: "n"))
    case 0x0c: bytes.append(UInt8(ascii: "f"))
    case 0x0d: bytes.append(UInt8(ascii: "r"))
    default:
      bytes.append(contentsOf: "u00".utf8)
      bytes.append(hexadecimalDigit(byte >> 4))
      bytes.append(hexadecimalDigit(byte & 0x0f))
    }
  }

  private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
