internal import Basics

/// The time for which an answer about a page may be cached.
package enum Freshness: Sendable, Hashable {
  /// Not specified: the cache decides.
  case unspecified
  /// The lifetime set by the page's server (RFC 9111 §4.2.1); 0 if the server forbids reuse.
  case seconds(Int64)
  /// Not cacheable: the answer is unrelated to the page.
  case unkept
}

/// The header fields of a response that limit its lifetime.
struct ResponseFreshness {
  var cacheControl: [String] = []
  var age: [String] = []
  var date: [String] = []
  var expires: [String] = []

  /// The remaining lifetime of the response (RFC 9111 §4.2) in a shared cache.
  ///
  /// - Parameter now: The arrival time of the response, in seconds since 1970; used instead of a
  ///   missing `Date`.
  func freshness(at now: Int64) -> Freshness {
    let control = CacheControl(cacheControl)
    if control.forbidsReuse { return .seconds(0) }
    guard let lifetime = control.lifetime ?? lifetimeByDates(now) else { return .unspecified }
    return .seconds(max(0, lifetime - (age.first.map { CacheControl.seconds($0) } ?? 0)))
  }

  /// Returns `Expires` minus `Date`; an invalid date, such as `0`, counts as past (§5.3).
  private func lifetimeByDates(_ now: Int64) -> Int64? {
    guard let expires = expires.first else { return nil }
    let year = CivilTime(unixSeconds: now).year
    guard let end = HTTPDate(expires, currentYear: year) else { return 0 }
    let start = date.first.flatMap { HTTPDate($0, currentYear: year) }?.seconds ?? now
    return min(max(0, end.seconds - start), CacheControl.longestLifetime)
  }
}

extension Freshness {
  /// Combines two answers: the shorter time applies.
  func shortened(by other: Freshness) -> Freshness {
    switch (self, other) {
    case (.unkept, _), (_, .unkept): .unkept
    case (.unspecified, _): other
    case (_, .unspecified): self
    case (.seconds(let first), .seconds(let second)): .seconds(min(first, second))
    }
  }
}

/// The `Cache-Control` directives of a response for a shared cache (RFC 9111 §5.2).
///
/// If a directive occurs twice the stricter value counts (§4.2.1); invalid seconds count as 0.
/// Directives without an effect on a preview's lifetime are ignored.
struct CacheControl: Hashable {
  /// `s-maxage`, else `max-age`, in seconds; larger values count as 2^31 (§1.2.2).
  var lifetime: Int64? { sharedMaximumAge ?? maximumAge }
  /// `no-store`, `no-cache` or `private`: the answer may only be used now.
  private(set) var forbidsReuse = false

  private var maximumAge: Int64?
  private var sharedMaximumAge: Int64?

  static let longestLifetime: Int64 = 2_147_483_648
  /// The maximum number of bytes read of the fields.
  private static let maximumLength = 4_096

  /// - Parameter values: The values of the `Cache-Control` fields, in order.
  init(_ values: [String]) {
    var bytes = Array(values.joined(separator: ",").utf8.prefix(Self.maximumLength))[...]
    while !bytes.isEmpty { read(Self.nextDirective(in: &bytes)) }
  }

  private mutating func read(_ directive: ArraySlice<UInt8>) {
    let equals = directive.firstIndex(of: UInt8(ascii: "="))
    let name = Self.text(directive[..<(equals ?? directive.endIndex)]).lowercased()
    let value = equals.map { Self.text(directive[$0...].dropFirst()) }
    switch name {
    // With field names, `no-cache` and `private` only apply to those fields; previews treat both
    // forms alike.
    case "no-store", "no-cache", "private": forbidsReuse = true
    case "max-age": maximumAge = Self.stricter(maximumAge, Self.seconds(value))
    case "s-maxage": sharedMaximumAge = Self.stricter(sharedMaximumAge, Self.seconds(value))
    default: break
    }
  }

  /// Removes the part up to the next comma that is not inside a quoted string (RFC 9110 §5.6.4).
  private static func nextDirective(in bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var isQuoted = false
    var isEscaped = false
    for index in bytes.indices {
      let byte = bytes[index]
      if isEscaped {
        isEscaped = false
      } else if isQuoted && byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if byte == UInt8(ascii: ","), !isQuoted {
        defer { bytes = bytes[(index + 1)...] }
        return bytes[..<index]
      }
    }
    defer { bytes = [] }
    return bytes
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let front = bytes.drop(while: isSpace)
    let end = front.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? front.startIndex
    return String(decoding: front[..<end], as: UTF8.self)
  }

  /// Parses seconds as digits, quoted or not; 0 for anything else.
  static func seconds(_ text: String?) -> Int64 {
    guard var digits = text?.utf8[...] else { return 0 }
    if digits.count >= 2, digits.first == UInt8(ascii: "\""), digits.last == digits.first {
      digits = digits.dropFirst().dropLast()
    }
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
    return min(Int64(String(digits) ?? "") ?? longestLifetime, longestLifetime)
  }

  private static func stricter(_ first: Int64?, _ second: Int64) -> Int64 {
    first.map { min($0, second) } ?? second
  }
}
