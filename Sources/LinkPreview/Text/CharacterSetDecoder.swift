import Glibc

/// Turns bytes of any character set of the web into text; what cannot be read becomes U+FFFD.
enum CharacterSetDecoder {
  /// The text that `bytes` hold.
  ///
  /// UTF-16 and ISO-2022-JP are converted before a page is cut into tags, so what arrives here as
  /// such is UTF-8 and EUC-JP.
  static func decode(_ bytes: [UInt8], as characterSet: CharacterSet) -> String {
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    switch characterSet {
    case .utf8, .utf16LittleEndian, .utf16BigEndian: return String(decoding: bytes, as: UTF8.self)
    case .windows1252: return Windows1252.decode(bytes)
    case .iso2022JP: return convert(bytes, from: "EUC-JP-MS")
    case .named(let name): return convert(bytes, from: name)
    }
  }

  /// Asks the C library, whose tables cover all of them.
  ///
  /// Where they are not installed the text is read as windows-1252, as an unknown label would be.
  private static func convert(_ bytes: [UInt8], from name: String) -> String {
    guard let conversion = iconv_open("UTF-8", name), Int(bitPattern: conversion) != -1 else {
      return Windows1252.decode(bytes)
    }
    defer { iconv_close(conversion) }
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count * 2)
    var input = bytes
    input.withUnsafeMutableBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let consumed = convertRun(
          UnsafeMutableRawBufferPointer(rebasing: rest), conversion, &output)
        rest = rest.dropFirst(consumed)
        if rest.isEmpty { break }
        if consumed == 0 {
          output += "\u{fffd}".utf8
          rest = rest.dropFirst()
        }
      }
    }
    // Some character sets hold back a character until they know what follows it.
    _ = convertRun(nil, conversion, &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// Converts as much as fits a small buffer, up to the first byte that cannot be read;
  /// without input, what the conversion still holds.
  ///
  /// - Returns: How many bytes were consumed.
  private static func convertRun(
    _ input: UnsafeMutableRawBufferPointer?, _ conversion: iconv_t, _ output: inout [UInt8]
  ) -> Int {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
      var source = input?.baseAddress?.assumingMemoryBound(to: CChar.self)
      let given = input?.count ?? 0
      var sourceLeft = given
      var target = buffer.baseAddress
      var targetLeft = buffer.count
      _ = iconv(conversion, &source, &sourceLeft, &target, &targetLeft)
      output += buffer[..<(buffer.count - targetLeft)].lazy.map { UInt8(bitPattern: $0) }
      return given - sourceLeft
    }
  }
}
