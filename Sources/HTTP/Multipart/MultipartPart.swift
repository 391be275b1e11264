import Basics

/// The head of a part of a form (RFC 7578 §4).
package struct MultipartPart: Sendable, Hashable {
  /// The field's name.
  package let name: String
  /// The file's name as received; `nil` for a field that is not a file.
  package let fileName: String?
  /// The media type; `nil` when it is missing.
  package let contentType: String?

  /// Makes a part's head.
  package init(name: String, fileName: String? = nil, contentType: String? = nil) {
    self.name = name
    self.fileName = fileName
    self.contentType = contentType
  }

  init(_ fields: HTTPFields) throws(HTTPError) {
    guard let text = fields["Content-Disposition"],
      let disposition = HeaderParameters(text), disposition.value == "form-data",
      let name = disposition["name"]
    else {
      throw .badRequest("A part of the form has no Content-Disposition of form-data with a name.")
    }
    // Encoded content would be stored as if it were not encoded (RFC 7578 §4.7).
    let coding = fields["Content-Transfer-Encoding"]?.lowercased() ?? "binary"
    guard ["7bit", "8bit", "binary"].contains(coding) else {
      throw .badRequest("A part of the form has a Content-Transfer-Encoding.")
    }
    self.name = Self.unescaped(name)
    fileName =
      disposition["filename*"].flatMap(Self.extended) ?? disposition["filename"].map(Self.unescaped)
    contentType = fields["Content-Type"]
  }

  /// Decodes the three escapes that browsers use (HTML, multipart/form-data encoding algorithm); any
  /// other percent sign is literal.
  private static func unescaped(_ text: String) -> String {
    text.replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing("%0A", with: "\n")
  }

  /// Parses `UTF-8''na%C3%AFve.txt` (RFC 8187 §3.2); `nil` for another charset or an invalid encoding.
  private static func extended(_ text: String) -> String? {
    let parts = text.utf8.split(
      separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, String(parts[0])?.lowercased() == "utf-8" else { return nil }
    return PercentEncoding.text(parts[2])
  }
}

/// The text that separates the parts of a multipart body (RFC 2046 §5.1.1).
package struct MultipartBoundary: Sendable, Hashable {
  /// 1 to 70 bytes, none of them CR or LF.
  let bytes: [UInt8]

  /// Parses the boundary of a `multipart/form-data` body; `nil` for another type or an invalid boundary.
  package init?(contentType: String) {
    guard let type = HeaderParameters(contentType), type.value == "multipart/form-data",
      let boundary = type["boundary"]
    else { return nil }
    self.init(boundary)
  }

  /// Makes a boundary of 1 to 70 allowed characters, the last of which is not a space.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard (1...70).contains(bytes.count), bytes.allSatisfy(Self.isAllowed), bytes.last != 0x20
    else { return nil }
    self.bytes = bytes
  }

  /// Whether a body of this type is a form with parts, even if its boundary is invalid.
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

/// The limits on a multipart body's framing; the receiver limits the length of the content.
package struct MultipartLimits: Sendable, Hashable {
  /// The maximum number of bytes of a part's head, including line ends; above that: 400.
  package var headBytes: Int
  /// The maximum number of parts; above that: 400.
  package var partCount: Int

  /// Makes limits; the defaults suit a form with a file.
  package init(headBytes: Int = 8_192, partCount: Int = 64) {
    self.headBytes = headBytes
    self.partCount = partCount
  }
}
