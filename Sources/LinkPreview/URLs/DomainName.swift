internal import Basics
import CDomainNames

/// Applies the public suffix list and IDNA to domain names.
enum DomainName {
  /// Returns whether ICANN delegates `name` (lower case) as a suffix under which names are registered.
  static func isPublicSuffix(_ name: String) -> Bool { parley_is_public_suffix(name) != 0 }

  /// Returns the registrable part of `name`, such as `example.co.uk`.
  static func registrable(_ name: String) -> String? {
    // The result points into the argument, so it must be copied before the call ends.
    name.withCString { text in
      guard let domain = parley_registrable_domain(text) else { return nil }
      return String(cString: domain)
    }
  }

  /// Returns the ASCII form of a name in UTF-8, or `nil` if it is not a valid name.
  static func ascii(fromUTF8 name: [UInt8]) -> [UInt8]? {
    guard !name.contains(0), let text = String(validating: name, as: UTF8.self) else { return nil }
    let capacity = 512
    let ascii = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      let length = buffer.withMemoryRebound(to: CChar.self) { output in
        output.baseAddress.map { parley_host_to_ascii(text, $0, capacity) } ?? -1
      }
      count = max(0, length)
    }
    return ascii.isEmpty ? nil : ascii
  }

  /// Returns whether two hosts belong to the same registrant, as far as names show.
  static func isSameSite(_ first: Host, _ second: Host) -> Bool {
    if first == second { return true }
    guard case .name(let one) = first, case .name(let other) = second,
      let domain = registrable(one)
    else { return false }
    return domain == registrable(other)
  }
}

extension Host {
  /// Parses a host as a browser does (WHATWG URL §3.5): percent-decoded, converted to ASCII, and
  /// interpreted as an IPv4 address if its last label is a number, so that `0x7f.1` and `１２７.０.０.１`
  /// cannot hide their meaning.
  init?(parsing text: ArraySlice<UInt8>) {
    if text.first == UInt8(ascii: "[") {
      guard text.last == UInt8(ascii: "]"), text.count > 2,
        let bits = IPAddress.v6(from: text.dropFirst().dropLast())
      else { return nil }
      self = .address(.v6(bits))
      return
    }
    guard let name = Self.asciiName(text) else { return nil }
    switch LegacyIPv4(name[...]) {
    case .address(let bits): self = .address(.v4(bits))
    case .malformed: return nil
    case .notANumber:
      guard Self.isValidName(name) else { return nil }
      self = .name(String(decoding: name, as: UTF8.self))
    }
  }

  private static func asciiName(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count <= 1_024, let decoded = PercentEncoding.decode(text) else { return nil }
    var name = decoded.asciiLowercased()
    if !name.allSatisfy({ $0 < 0x80 }) || name.containsACELabel {
      guard let ascii = DomainName.ascii(fromUTF8: name) else { return nil }
      name = ascii.asciiLowercased()
    }
    if name.last == UInt8(ascii: ".") { name.removeLast() }
    return name
  }

  private static func isValidName(_ name: [UInt8]) -> Bool {
    guard name.count <= 253 else { return false }
    return name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
      (1...63).contains($0.count)
        && $0.allSatisfy { $0.isASCIIAlphanumeric || $0 == 0x2d || $0 == 0x5f }
    }
  }
}

extension Collection where Element == UInt8 {
  fileprivate var containsACELabel: Bool {
    split(separator: UInt8(ascii: ".")).contains { $0.starts(with: "xn--".utf8) }
  }
}

/// An IPv4 address in any notation that resolvers accept: one to four parts, each decimal, octal or
/// hexadecimal, the last one filling the remaining bytes (WHATWG URL §3.5, `inet_aton`).
enum LegacyIPv4: Equatable {
  case address(UInt32)
  /// It ends in a number but is not an address; it must not be passed to a resolver.
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
