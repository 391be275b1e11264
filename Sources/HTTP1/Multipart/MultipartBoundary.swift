/// The text that separates the parts of a multipart body (RFC 2046 §5.1.1).
package struct MultipartBoundary: Sendable, Hashable {
  /// 1 to 70 bytes, none of them CR or LF.
  let bytes: [UInt8]

  /// Reads the boundary of a `multipart/form-data` body; `nil` for another type or without a valid
  /// boundary.
  package init?(contentType: String) {
    guard let type = HeaderParameters(contentType), type.value == "multipart/form-data",
      let boundary = type["boundary"]
    else { return nil }
    self.init(boundary)
  }

  /// Makes a boundary of 1 to 70 of the characters that one may have; a space may not be the last.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard (1...70).contains(bytes.count), bytes.allSatisfy(Self.isAllowed), bytes.last != 0x20
    else { return nil }
    self.bytes = bytes
  }

  /// Whether a body of this type is a form with parts, its boundary valid or not.
  package static func isMeant(by contentType: String?) -> Bool {
    contentType.flatMap(HeaderParameters.init)?.value == "multipart/form-data"
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "'()+_,-./:=? ".utf8.contains(byte)
    }
  }
}
