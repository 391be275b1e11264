import Glibc

/// Converts a stream of ISO-2022-JP to EUC-JP, where no byte of a character looks like a `<`.
///
/// The two are the same codes, told apart by escape sequences in the one and by the highest bit in
/// the other. A page of another character set holds no escape sequences and passes unchanged.
struct ISO2022JPConverter {
  private enum Alphabet { case ascii, kanji, katakana }
  private enum State { case text, escape, dollar, parenthesis }

  private static let escape: UInt8 = 0x1b

  private var alphabet = Alphabet.ascii
  private var state = State.text

  /// Whether these bytes would come out as they are.
  func leavesUnchanged(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard alphabet == .ascii, state == .text else { return false }
    guard let base = bytes.baseAddress else { return true }
    return memchr(base, Int32(Self.escape), bytes.count) == nil
  }

  mutating func convert(_ bytes: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) {
    for byte in bytes { receive(byte, &output) }
  }

  private mutating func receive(_ byte: UInt8, _ output: inout [UInt8]) {
    switch (state, byte) {
    case (_, Self.escape): state = .escape
    case (.text, _): append(byte, to: &output)
    case (.escape, UInt8(ascii: "$")): state = .dollar
    case (.escape, UInt8(ascii: "(")): state = .parenthesis
    case (.dollar, UInt8(ascii: "@")), (.dollar, UInt8(ascii: "B")): shift(to: .kanji)
    case (.parenthesis, UInt8(ascii: "I")): shift(to: .katakana)
    case (.parenthesis, UInt8(ascii: "B")), (.parenthesis, UInt8(ascii: "J")): shift(to: .ascii)
    default:
      state = .text
      append(byte, to: &output)
    }
  }

  private mutating func shift(to other: Alphabet) {
    alphabet = other
    state = .text
  }

  private mutating func append(_ byte: UInt8, to output: inout [UInt8]) {
    guard (0x21...0x7e).contains(byte), alphabet != .ascii else {
      // A line's end returns to ASCII in practice, whether or not it was said.
      if byte == 0x0a || byte == 0x0d { alphabet = .ascii }
      output.append(byte)
      return
    }
    if alphabet == .katakana { output.append(0x8e) }
    output.append(byte | 0x80)
  }
}
