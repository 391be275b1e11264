import Basics

extension Host {
  /// A host as a browser would understand it (WHATWG URL §3.5): percent-decoded, made ASCII, and
  /// taken for an IPv4 address when its last label is a number, so that `0x7f.1` and
  /// `１２７.０.０.１` cannot hide what they are.
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
