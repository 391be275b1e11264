/// The time for which an answer about a page may be kept.
package enum Freshness: Sendable, Hashable {
  /// Nobody said: as long as the cache likes.
  case unspecified
  /// The lifetime set by the page's server (RFC 9111 §4.2.1); 0 when it forbids reuse.
  case seconds(Int64)
  /// Not at all: the answer says nothing about the page.
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
  /// - Parameter now: When the response came, in seconds since 1970; stands in for a missing
  ///   `Date`.
  func freshness(at now: Int64) -> Freshness {
    let control = CacheControl(cacheControl)
    if control.forbidsReuse { return .seconds(0) }
    guard let lifetime = control.lifetime ?? lifetimeByDates(now) else { return .unspecified }
    return .seconds(max(0, lifetime - (age.first.map { CacheControl.seconds($0) } ?? 0)))
  }

  /// `Expires` minus `Date`; a date that cannot be read, such as `0`, has passed (§5.3).
  private func lifetimeByDates(_ now: Int64) -> Int64? {
    guard let expires = expires.first else { return nil }
    let year = 1_970 + now / 31_556_952
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
/// Of directives that come twice the stricter counts (§4.2.1); one whose seconds cannot be read
/// asks for none. Directives that say nothing about a preview's lifetime are passed over.
struct CacheControl: Hashable {
  /// `s-maxage`, else `max-age`, in seconds; 2^31 stands for more (§1.2.2).
  var lifetime: Int64? { sharedMaximumAge ?? maximumAge }
  /// `no-store`, `no-cache` or `private`: the answer is good for now only.
  private(set) var forbidsReuse = false

  private var maximumAge: Int64?
  private var sharedMaximumAge: Int64?

  static let longestLifetime: Int64 = 2_147_483_648
  /// The number of bytes of the fields that are read.
  private static let maximumLength = 4_096

  /// - Parameter values: The values of the fields of this name, in order.
  init(_ values: [String]) {
    var bytes = Array(values.joined(separator: ",").utf8.prefix(Self.maximumLength))[...]
    while !bytes.isEmpty { read(Self.nextDirective(in: &bytes)) }
  }

  private mutating func read(_ directive: ArraySlice<UInt8>) {
    let equals = directive.firstIndex(of: UInt8(ascii: "="))
    let name = Self.text(directive[..<(equals ?? directive.endIndex)]).lowercased()
    let value = equals.map { Self.text(directive[$0...].dropFirst()) }
    switch name {
    // With field names, `no-cache` and `private` mean those fields only; previews treat both forms
    // alike.
    case "no-store", "no-cache", "private": forbidsReuse = true
    case "max-age": maximumAge = Self.stricter(maximumAge, Self.seconds(value))
    case "s-maxage": sharedMaximumAge = Self.stricter(sharedMaximumAge, Self.seconds(value))
    default: break
    }
  }

  /// Cuts at the next comma that is not inside a quoted string (RFC 9110 §5.6.4).
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

  /// Seconds in digits, quoted or not; 0 for what is no number.
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

/// A point in time as HTTP writes it (RFC 9110 §5.6.7), in seconds since 1970.
///
///     Sun, 06 Nov 1994 08:49:37 GMT     Sunday, 06-Nov-94 08:49:37 GMT     Sun Nov  6 08:49:37 1994
struct HTTPDate: Hashable, Comparable {
  let seconds: Int64

  /// Any of the three notations; the name of the day is not compared with the date.
  ///
  /// - Parameter currentYear: Tells what century a year of two digits is in.
  init?(_ text: String, currentYear: Int64 = 2_000) {
    guard text.utf8.count <= 64 else { return nil }
    let words = text.split { " ,-".contains($0) }
    if words.count == 6, words[5] == "GMT" {
      self.init(
        day: words[1], month: words[2], year: words[3], time: words[4], currentYear: currentYear)
    } else if words.count == 5 {
      self.init(
        day: words[2], month: words[1], year: words[4], time: words[3], currentYear: currentYear)
    } else {
      return nil
    }
  }

  private init?(
    day: Substring, month: Substring, year: Substring, time: Substring, currentYear: Int64
  ) {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map(Self.number)
    guard let day = Self.number(day), (1...31).contains(day),
      let month = Self.months.firstIndex(of: month.lowercased()),
      let year = Self.year(year, currentYear), clock.count == 3,
      let hour = clock[0], let minute = clock[1], let second = clock[2],
      hour < 24, minute < 60, second <= 60
    else { return nil }
    let days = Self.daysSince1970(year: year, month: Int64(month) + 1, day: day)
    seconds = days * 86_400 + hour * 3_600 + minute * 60 + second
  }

  static func < (first: HTTPDate, second: HTTPDate) -> Bool { first.seconds < second.seconds }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// At most four digits.
  private static func number(_ digits: Substring) -> Int64? {
    guard (1...4).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int64(digits)
  }

  private static func year(_ digits: Substring, _ currentYear: Int64) -> Int64? {
    guard let year = number(digits) else { return nil }
    switch digits.utf8.count {
    case 4: return year
    case 2:
      // More than 50 years ahead means the past (RFC 9110 §5.6.7).
      let sameCentury = currentYear / 100 * 100 + year
      return sameCentury > currentYear + 50 ? sameCentury - 100 : sameCentury
    default: return nil
    }
  }

  /// In the Gregorian calendar: years of March to February, so that the leap day comes last.
  private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let leapDays = floored(shifted, 4) - floored(shifted, 100) + floored(shifted, 400)
    return shifted * 365 + leapDays + dayOfYear - 719_468
  }

  private static func floored(_ year: Int64, _ divisor: Int64) -> Int64 {
    year >= 0 ? year / divisor : (year - divisor + 1) / divisor
  }
}
