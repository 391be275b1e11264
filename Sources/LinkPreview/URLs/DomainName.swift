internal import Basics
import CDomainNames

/// Applies the public suffix list and IDNA to domain names.
enum DomainName {
  /// Whether ICANN delegates `name` (lower case) as a suffix under which names are registered.
  static func isPublicSuffix(_ name: String) -> Bool { parley_is_public_suffix(name) != 0 }

  /// The part of `name` that was registered by somebody, such as `example.co.uk`.
  static func registrable(_ name: String) -> String? {
    // The result points into the argument, so it has to be copied before the call ends.
    name.withCString { text in
      guard let domain = parley_registrable_domain(text) else { return nil }
      return String(cString: domain)
    }
  }

  /// The ASCII form of a name in UTF-8, or `nil` when it is not a valid name.
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

  /// Whether two hosts belong to the same registrant, as far as names can tell.
  static func isSameSite(_ first: Host, _ second: Host) -> Bool {
    if first == second { return true }
    guard case .name(let one) = first, case .name(let other) = second,
      let domain = registrable(one)
    else { return false }
    return domain == registrable(other)
  }
}
