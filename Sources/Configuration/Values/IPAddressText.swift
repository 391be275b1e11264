internal import Glibc

/// The texts of IP addresses, judged as the system's own parser does.
enum IPAddressText {
  /// The two kinds of address.
  enum Family: Sendable {
    case v4, v6

    /// Bits of an address.
    var bits: Int { self == .v4 ? 32 : 128 }
  }

  /// The kind of address that a text is; `nil` when it is none.
  static func family(of text: String) -> Family? {
    // The C library would pass over what follows a zero byte.
    guard !text.utf8.contains(0) else { return nil }
    var v4 = in_addr()
    if inet_pton(AF_INET, text, &v4) == 1 { return .v4 }
    var v6 = in6_addr()
    return inet_pton(AF_INET6, text, &v6) == 1 ? .v6 : nil
  }

  /// Whether a text is `::1`, however written, or an IPv4 loopback address mapped into IPv6.
  static func isLoopbackV6(_ text: String) -> Bool {
    var address = in6_addr()
    guard inet_pton(AF_INET6, text, &address) == 1 else { return false }
    let bytes = withUnsafeBytes(of: &address) { Array($0) }
    let one = [UInt8](repeating: 0, count: 15) + [1]
    let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff, 127]
    return bytes == one || bytes.starts(with: mapped)
  }
}
