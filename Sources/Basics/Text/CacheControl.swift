/// The `Cache-Control` directives of a response for a shared cache (RFC 9111 §5.2).
///
/// If a directive occurs twice the stricter value counts (§4.2.1); invalid seconds count as 0.
/// Directives without an effect on the lifetime are ignored.
package struct CacheControl: Hashable {
  /// `s-maxage`, else `max-age`, in seconds; larger values count as 2^31 (§1.2.2).
  package var lifetime: Int64? { sharedMaximumAge ?? maximumAge }
  /// `no-store`, `no-cache` or `private`: the answer may only be used now.
  package private(set) var forbidsReuse = false

  private var maximumAge: Int64?
  private var sharedMaximumAge: Int64?

  package static let longestLifetime: Int64 = 2_147_483_648
  /// The maximum number of bytes read of the fields.
  private static let maximumLength = 4_096

  /// - Parameter values: The values of the `Cache-Control` fields, in order.
  package init(_ values: [String]) {
    var bytes = Array(values.joined(separator: ",").utf8.prefix(Self.maximumLength))[...]
    while !bytes.isEmpty { read(Self.nextDirective(in: &bytes)) }
  }

  private mutating func read(_ directive: ArraySlice<UInt8>) {
    let equals = directive.firstIndex(of: UInt8(ascii: "="))
    let name = Self.text(directive[..<(equals ?? directive.endIndex)]).lowercased()
    let value = equals.map { Self.text(directive[$0...].dropFirst()) }
    switch name {
    // With field names, `no-cache` and `private` only apply to those fields; both forms are treated
    // alike.
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
  package static func seconds(_ text: String?) -> Int64 {
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
