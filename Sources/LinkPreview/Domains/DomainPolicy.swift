package import Basics

/// Decides which sites pages may be fetched from.
package struct DomainPolicy: Sendable, Hashable {
  /// The only domains to fetch from; all if empty.
  package var allowed: DomainSet
  /// Domains that the operator excludes.
  package var denied: DomainSet
  /// Domains whose owners opted out of previews.
  package var optedOut: DomainSet

  package init(
    allowed: DomainSet = DomainSet(), denied: DomainSet = DomainSet(),
    optedOut: DomainSet = DomainSet()
  ) {
    self.allowed = allowed
    self.denied = denied
    self.optedOut = optedOut
  }

  /// Returns the reason why a site is refused, as text; `nil` if it is allowed.
  ///
  /// An address is on no list: it is refused if only listed domains are allowed.
  package func refusal(of host: Host) -> String? {
    guard case .name(let name) = host else {
      return allowed.isEmpty ? nil : "\(host.text) is not among the allowed domains"
    }
    if let domain = denied.domain(covering: name) { return "the domain \(domain) is denied" }
    if let domain = optedOut.domain(covering: name) {
      return "the domain \(domain) has opted out of previews"
    }
    guard allowed.isEmpty || allowed.domain(covering: name) != nil else {
      return "\(name) is not among the allowed domains"
    }
    return nil
  }
}

/// A text file of domains, one per line.
///
///     # Sites that want no previews.
///     example.com
///     *.example.org      # the same as example.org
package enum DomainList {
  /// The maximum number of lines.
  package static let maximumLineCount = 1_000_000
  /// The maximum number of bytes.
  package static let maximumByteCount = 16_777_216

  /// Parses a list completely or not at all.
  ///
  /// - Throws: ``DomainListError`` for the first line that is not a domain, blank or a comment, and
  ///   for lists beyond the limits.
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

/// An error in a list of domains.
package enum DomainListError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A line, counted from 1, that is not a domain.
  case line(Int, DomainTextError)
  case tooManyBytes(limit: Int)
  case tooManyLines(limit: Int)

  package var description: String {
    switch self {
    case .line(let number, let error): "line \(number): \(error)"
    case .tooManyBytes(let limit): "the list is longer than \(limit) bytes"
    case .tooManyLines(let limit): "the list has more than \(limit) lines"
    }
  }
}
