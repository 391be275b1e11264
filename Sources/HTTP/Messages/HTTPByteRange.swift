/// The part that a `Range` field requests (RFC 9110 §14.2), for content of a known length.
package enum HTTPByteRange: Sendable, Hashable {
  /// Everything: there is no such field, or it may be ignored because it has another unit, several
  /// ranges or a malformed one.
  case whole
  /// These bytes, at least one.
  case part(Range<Int64>)
  /// No part of the content: answer 416.
  case unsatisfiable

  /// Parses a field.
  ///
  /// - Parameter length: The length of the content in bytes; not negative.
  package init(_ field: String?, length: Int64) {
    guard let field, let (first, last) = Self.bounds(field) else {
      self = .whole
      return
    }
    switch (first, last) {
    case (let first?, let last):
      let end = last.map { $0 < length ? $0 + 1 : length } ?? length
      if let last, last < first {
        self = .whole
      } else {
        self = first < length ? .part(first..<end) : .unsatisfiable
      }
    case (nil, let count?):
      self = count > 0 && length > 0 ? .part(max(0, length - count)..<length) : .unsatisfiable
    case (nil, nil): self = .whole
    }
  }

  /// The two numbers of `bytes=0-499`; either may be absent.
  private static func bounds(_ field: String) -> (first: Int64?, last: Int64?)? {
    let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
    let bounds = parts[1].split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2, let first = number(bounds[0]), let last = number(bounds[1]) else {
      return nil
    }
    return (first, last)
  }

  /// Parses an optional number; `nil` for anything else.
  ///
  /// A number that does not fit is treated as larger than any length.
  private static func number(_ text: Substring) -> Int64?? {
    let digits = HTTPSyntax.trimmed(ArraySlice(text.utf8))
    if digits.isEmpty { return .some(nil) }
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return .some(Int64(String(decoding: digits, as: UTF8.self)) ?? .max)
  }
}
