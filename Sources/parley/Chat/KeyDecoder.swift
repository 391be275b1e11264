internal import Basics

/// A key that was pressed in a terminal.
enum Key: Equatable {
  case text(Character)
  case enter
  case backspace
  case delete
  case left
  case right
  case up
  case down
  case home
  case end
  /// Ctrl-W: deletes the word before the cursor.
  case deleteWord
  /// Ctrl-U: deletes everything before the cursor.
  case deleteToStart
  /// Ctrl-K: deletes everything after the cursor.
  case deleteToEnd
  /// Ctrl-C
  case interrupt
  /// Ctrl-D
  case endOfInput
  /// Ctrl-L
  case redraw
}

/// Decodes the bytes of a terminal into keys: UTF-8, control characters and the escape sequences of
/// cursor keys (ECMA-48 §5.4).
struct KeyDecoder {
  private enum State {
    case ground
    /// Within a multi-byte character, with `missing` bytes left.
    case character([UInt8], missing: Int)
    case escape
    /// After `ESC [`: parameters up to a final byte.
    case sequence([UInt8])
    /// After `ESC O`: one final byte.
    case single
  }

  /// The longest parameters of a key in bytes.
  private static let parameterLimit = 16

  private var state = State.ground

  /// Decodes further bytes; a key may be split between calls.
  mutating func receive(_ bytes: some Sequence<UInt8>) -> [Key] {
    bytes.compactMap { receive($0) }
  }

  private mutating func receive(_ byte: UInt8) -> Key? {
    switch state {
    case .ground: return begin(byte)
    case .character(let bytes, let missing): return go(on: bytes, byte, missing)
    case .escape:
      state =
        byte == UInt8(ascii: "[") ? .sequence([]) : byte == UInt8(ascii: "O") ? .single : .ground
      return nil
    case .single:
      state = .ground
      return Self.cursorKeys[byte]
    case .sequence(let parameters): return go(on: parameters, byte)
    }
  }

  private mutating func begin(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x1b: state = .escape
    case 0x20..<0x7f: return .text(Character(Unicode.Scalar(byte)))
    case 0xc2...0xdf: state = .character([byte], missing: 1)
    case 0xe0...0xef: state = .character([byte], missing: 2)
    case 0xf0...0xf4: state = .character([byte], missing: 3)
    default: return Self.controls[byte]
    }
    return nil
  }

  private mutating func go(on bytes: [UInt8], _ byte: UInt8, _ missing: Int) -> Key? {
    guard byte & 0xc0 == 0x80 else {
      state = .ground
      return begin(byte)
    }
    guard missing == 1 else {
      state = .character(bytes + [byte], missing: missing - 1)
      return nil
    }
    state = .ground
    let text = String(validating: bytes + [byte], as: UTF8.self)
    guard let scalar = text?.unicodeScalars.first, !scalar.actsOnItsSurroundings else { return nil }
    return .text(Character(scalar))
  }

  private mutating func go(on parameters: [UInt8], _ byte: UInt8) -> Key? {
    guard (0x40...0x7e).contains(byte) else {
      let isTooLong = parameters.count >= Self.parameterLimit
      state = isTooLong ? .ground : .sequence(parameters + [byte])
      return nil
    }
    state = .ground
    guard byte == UInt8(ascii: "~") else { return Self.cursorKeys[byte] }
    return Self.numberedKeys[String(decoding: parameters, as: UTF8.self)]
  }

  private static let cursorKeys: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right,
    UInt8(ascii: "D"): .left, UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end,
  ]

  private static let numberedKeys: [String: Key] = [
    "1": .home, "3": .delete, "4": .end, "7": .home, "8": .end,
  ]

  private static let controls: [UInt8: Key] = [
    0x01: .home, 0x02: .left, 0x03: .interrupt, 0x04: .endOfInput, 0x05: .end, 0x06: .right,
    0x08: .backspace, 0x0a: .enter, 0x0b: .deleteToEnd, 0x0c: .redraw, 0x0d: .enter,
    0x0e: .down, 0x10: .up, 0x15: .deleteToStart, 0x17: .deleteWord, 0x7f: .backspace,
  ]
}
