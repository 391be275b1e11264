/// A version of libvips, as printed by `vipsthumbnail --version`.
package struct VipsVersion: Hashable, Sendable, Comparable {
  /// The first version with `VIPS_BLOCK_UNTRUSTED`; earlier ones would try every loader on a file.
  package static let oldest = VipsVersion(major: 8, minor: 13)

  package let major: Int
  package let minor: Int

  package init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// Parses the version in a text such as `vips-8.14.1`.
  package init?(printed text: String) {
    let numbers = text.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    guard numbers.count == 2 else { return nil }
    self.init(major: numbers[0], minor: numbers[1])
  }

  package static func < (one: Self, other: Self) -> Bool {
    (one.major, one.minor) < (other.major, other.minor)
  }
}
