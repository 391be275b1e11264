/// Tells the many texts that cannot hold a link from the few that may, in one pass over their bytes.
enum LinkHint {
  /// Whether a dot stands between two words, or a slash behind a colon.
  static func isGiven(by text: String) -> Bool {
    var window: UInt32 = 0x2020_2020
    for byte in text.utf8 {
      window = window << 8 | UInt32(byte)
      if isHint(window) { return true }
    }
    return false
  }

  /// - Parameter window: The last four bytes, the latest lowest.
  private static func isHint(_ window: UInt32) -> Bool {
    let last = UInt8(truncatingIfNeeded: window)
    switch UInt8(truncatingIfNeeded: window >> 8) {
    case UInt8(ascii: "."):
      let before = UInt8(truncatingIfNeeded: window >> 16)
      // Of a number's digits nothing is a top-level domain.
      return isOfWord(last) && !last.isASCIIDigit && isOfWord(before)
    case UInt8(ascii: ":"): return last == UInt8(ascii: "/")
    // The three-byte forms of U+FF0E and U+FF61, and of U+3002 behind an ASCII letter.
    case 0xbc: return window & 0xff_ffff == 0xef_bc8e
    case 0xbd: return window & 0xff_ffff == 0xef_bda1
    case 0x80:
      return window & 0xff_ffff == 0xe3_8082 && UInt8(window >> 24).isASCIIAlphanumeric
    default: return false
    }
  }

  private static func isOfWord(_ byte: UInt8) -> Bool { byte >= 0x80 || byte.isASCIIAlphanumeric }
}
