import Basics

/// The head of a part of a form (RFC 7578 §4).
package struct MultipartPart: Sendable, Hashable {
  /// The field's name.
  package let name: String
  /// The file's name, as it came; `nil` for a field that is no file.
  package let fileName: String?
  /// The media type; `nil` when it is not given.
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
    // What is encoded would be kept as if it were not (RFC 7578 §4.7).
    let coding = fields["Content-Transfer-Encoding"]?.lowercased() ?? "binary"
    guard ["7bit", "8bit", "binary"].contains(coding) else {
      throw .badRequest("A part of the form has a Content-Transfer-Encoding.")
    }
    self.name = Self.unescaped(name)
    fileName =
      disposition["filename*"].flatMap(Self.extended) ?? disposition["filename"].map(Self.unescaped)
    contentType = fields["Content-Type"]
  }

  /// Undoes the three escapes that browsers make (HTML, multipart/form-data encoding algorithm); any
  /// other percent sign stands for itself.
  private static func unescaped(_ text: String) -> String {
    text.replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing("%0A", with: "\n")
  }

  /// Reads `UTF-8''na%C3%AFve.txt` (RFC 8187 §3.2); `nil` for another charset or a broken encoding.
  private static func extended(_ text: String) -> String? {
    let parts = text.utf8.split(
      separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, String(parts[0])?.lowercased() == "utf-8" else { return nil }
    return PercentEncoding.text(parts[2])
  }
}
