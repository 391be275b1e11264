/// An IPv4 address in any notation that resolvers accept: one to four parts, each decimal, octal
/// or hexadecimal, the last one filling what is left (WHATWG URL §3.5, `inet_aton`).
enum LegacyIPv4: Equatable {
  case address(UInt32)
  /// It ends in a number and yet is no address; no resolver may be asked about it.
  case malformed
  case notANumber

  init(_ name: ArraySlice<UInt8>) {
    let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let last = parts.last, Self.looksLikeNumber(last) else {
      self = .notANumber
      return
    }
    self = Self.combine(parts.map(Self.number)).map { .address($0) } ?? .malformed
  }

  private static func looksLikeNumber(_ part: ArraySlice<UInt8>) -> Bool {
    if part.isEmpty { return false }
    return part.allSatisfy(\.isASCIIDigit) || (part.starts(with: "0x".utf8) && number(part) != nil)
  }

  private static func number(_ part: ArraySlice<UInt8>) -> UInt64? {
    guard !part.isEmpty, part.count <= 64 else { return nil }
    if part.starts(with: "0x".utf8) {
      return part.count == 2 ? 0 : digits(part.dropFirst(2), radix: 16)
    }
    if part.count > 1, part.first == UInt8(ascii: "0") { return digits(part, radix: 8) }
    return digits(part, radix: 10)
  }

  private static func digits(_ text: ArraySlice<UInt8>, radix: Int) -> UInt64? {
    guard text.allSatisfy(\.isASCIIHexDigit) else { return nil }
    return UInt64(String(decoding: text, as: UTF8.self), radix: radix)
  }

  private static func combine(_ numbers: [UInt64?]) -> UInt32? {
    guard numbers.count <= 4, let optionalLast = numbers.last, let last = optionalLast else {
      return nil
    }
    var bits: UInt64 = 0
    for number in numbers.dropLast() {
      guard let number, number <= 255 else { return nil }
      bits = bits << 8 | number
    }
    let remaining = UInt64(8 * (5 - numbers.count))
    guard last < 1 << remaining else { return nil }
    return UInt32(bits << remaining | last)
  }
}
