/// The trace that a call of the Platform API belongs to, as its caller or a proxy has named it.
///
/// Two headers name it: `X-Request-Id`, and `traceparent` of W3C Trace Context (level 1, section 3.2). The
/// gateway starts no traces of its own and passes on the names that it received. A header that is
/// malformed is ignored, as section 4.3 there requires.
package struct CallTrace: Sendable, Hashable {
  /// `traceparent`, a space and the id of the request; one of the two may be empty.
  ///
  /// One text, so that the addresses that carry a trace stay small.
  package let text: String

  /// The maximum number of characters of an id of a request.
  package static let requestIDLength = 128

  /// - Parameters:
  ///   - requestID: The value of `X-Request-Id`, if it was sent one time.
  ///   - traceParent: The value of `traceparent`, if it was sent one time.
  /// - Returns: `nil` when neither names a trace.
  package init?(requestID: String?, traceParent: String?) {
    let id = requestID.flatMap { Self.isRequestID($0) ? $0 : nil } ?? ""
    let parent = traceParent.flatMap(Self.normalized) ?? ""
    guard !id.isEmpty || !parent.isEmpty else { return nil }
    text = "\(parent) \(id)"
  }

  /// Reads a stored or transmitted trace; `nil` unless ``text`` could have produced it.
  package init?(text: String) {
    guard let space = text.utf8.firstIndex(of: UInt8(ascii: " ")) else { return nil }
    self.init(
      requestID: String(text[text.utf8.index(after: space)...]),
      traceParent: String(text[..<space]))
    guard self.text == text else { return nil }
  }

  /// The id of the request.
  package var requestID: String? { parts.requestID.isEmpty ? nil : String(parts.requestID) }

  /// `00-{trace id}-{parent id}-{flags}`, in lower-case hexadecimal digits.
  package var traceParent: String? { parts.parent.isEmpty ? nil : String(parts.parent) }

  /// The 32 hexadecimal digits that all spans of the trace share.
  package var traceID: String? {
    traceParent.map { String($0.utf8.dropFirst(3).prefix(32)) ?? "" }
  }

  private var parts: (parent: Substring, requestID: Substring) {
    let space = text.firstIndex(of: " ") ?? text.endIndex
    return (text[..<space], text[space...].dropFirst())
  }

  /// Whether a text is 1 to 128 visible ASCII characters that need no escape in JSON, in a log or in a
  /// header.
  private static func isRequestID(_ text: String) -> Bool {
    (1...requestIDLength).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && !#"",<>\&"#.utf8.contains($0) }
  }

  /// A `traceparent` as version 00, which later versions extend at the end.
  private static func normalized(_ value: String) -> String? {
    let bytes = Array(value.utf8)
    guard bytes.count >= 55, bytes.count <= 256 else { return nil }
    let fields = bytes[..<55].split(
      separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard fields.map(\.count) == [2, 32, 16, 2], fields.joined().allSatisfy(isHexadecimal),
      !fields[0].elementsEqual("ff".utf8), !isZero(fields[1]), !isZero(fields[2]),
      fields[0].elementsEqual("00".utf8) ? bytes.count == 55 : isExtended(bytes)
    else { return nil }
    return "00" + String(decoding: bytes[2..<55], as: UTF8.self)
  }

  private static func isExtended(_ bytes: [UInt8]) -> Bool {
    bytes.count == 55 || bytes[55] == UInt8(ascii: "-")
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  private static func isZero(_ digits: ArraySlice<UInt8>) -> Bool {
    digits.allSatisfy { $0 == UInt8(ascii: "0") }
  }
}
