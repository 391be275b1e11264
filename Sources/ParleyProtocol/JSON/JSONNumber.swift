/// Parses exact whole numbers from the text of JSON numbers (RFC 8259 §6).
enum JSONNumber {
  /// The largest whole number up to which binary floating point is exact, 2^53.
  private static let exactLimit: Int64 = 1 << 53

  /// The number's value when it is integral and fits.
  static func integer(_ text: ArraySlice<UInt8>) -> Int64? {
    plainInteger(text) ?? scaledInteger(text)
  }

  private static func plainInteger(_ text: ArraySlice<UInt8>) -> Int64? {
    let isNegative = text.first == UInt8(ascii: "-")
    var value: Int64 = 0
    for digit in text.dropFirst(isNegative ? 1 : 0) {
      guard let next = appending(digit, to: value, isNegative: isNegative) else { return nil }
      value = next
    }
    return value
  }

  private static func appending(_ digit: UInt8, to value: Int64, isNegative: Bool) -> Int64? {
    guard isDigit(digit) else { return nil }
    let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
    let step = Int64(digit - UInt8(ascii: "0")) * (isNegative ? -1 : 1)
    let (sum, carry) = tenfold.addingReportingOverflow(step)
    return overflow || carry ? nil : sum
  }

  /// Parses a number with a fraction or an exponent by shifting its significant digits.
  private static func scaledInteger(_ text: ArraySlice<UInt8>) -> Int64? {
    let isNegative = text.first == UInt8(ascii: "-")
    let parts = text.dropFirst(isNegative ? 1 : 0).split(maxSplits: 1) { $0 | 0x20 == 0x65 }
    guard let mantissa = parts.first else { return nil }
    let fraction = mantissa.drop { isDigit($0) }.dropFirst()
    var digits = mantissa.filter(isDigit).drop { $0 == UInt8(ascii: "0") }
    var shift = exponent(parts.dropFirst().first ?? []) - fraction.count
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      shift += 1
    }
    guard !digits.isEmpty else { return 0 }
    guard shift >= 0, digits.count + shift <= 16 else { return nil }
    digits.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: shift))
    guard let value = plainInteger(digits), value <= exactLimit else { return nil }
    return isNegative ? -value : value
  }

  /// The exponent's value, clamped to ±10^9: more than the length of any text.
  private static func exponent(_ text: ArraySlice<UInt8>) -> Int {
    let isNegative = text.first == UInt8(ascii: "-")
    var value = 0
    for digit in text where isDigit(digit) {
      value = min(value * 10 + Int(digit - UInt8(ascii: "0")), 1_000_000_000)
    }
    return isNegative ? -value : value
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
