/// A text file of domains, one a line.
///
///     # Sites that want no previews.
///     example.com
///     *.example.org      # the same as example.org
package enum DomainList {
  /// How many lines are read.
  package static let maximumLineCount = 1_000_000
  /// How many bytes are read.
  package static let maximumByteCount = 16_777_216

  /// Reads a list whole or not at all.
  ///
  /// - Throws: ``DomainListError`` for the first line that is neither a domain nor blank nor a
  ///   comment, and for lists beyond the limits.
  package static func parse(_ bytes: [UInt8]) throws(DomainListError) -> DomainSet {
    guard bytes.count <= maximumByteCount else { throw .tooManyBytes(limit: maximumByteCount) }
    var domains = DomainSet()
    var number = 0
    var rest = bytes.starts(with: "\u{feff}".utf8) ? bytes.dropFirst(3) : bytes[...]
    while !rest.isEmpty {
      number += 1
      guard number <= maximumLineCount else { throw .tooManyLines(limit: maximumLineCount) }
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      try insert(rest[..<end], number, into: &domains)
      rest = rest[end...].dropFirst()
    }
    return domains
  }

  private static func insert(
    _ line: ArraySlice<UInt8>, _ number: Int, into domains: inout DomainSet
  ) throws(DomainListError) {
    let text = line.prefix { $0 != UInt8(ascii: "#") }.trimmingASCIIWhitespace()
    guard !text.isEmpty else { return }
    do throws(DomainTextError) {
      try domains.insert(String(decoding: text, as: UTF8.self))
    } catch {
      throw .line(number, error)
    }
  }
}
