import Basics
@testable import HTTP

/// Reads parts of heads: percent-encoding, queries, lists, parameters, boundaries and ranges.
///
/// What is written reads back as itself.
enum HTTPValuesHarness: Harness {
  static func run(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    precondition(PercentEncoding.text(PercentEncoding.encode(text).utf8) == text)
    if let bytes = PercentEncoding.decode(input) { precondition(bytes.count <= input.count) }
    checkQuery(text)
    checkTarget(text)
    checkFields(text)
    checkRange(text)
  }

  private static func checkQuery(_ text: String) {
    _ = QueryParameters(text)
    let encoded = PercentEncoding.encode(text)
    let parameters = QueryParameters("b&a=x&&\(encoded)=\(encoded)")
    precondition(parameters?[text] == text, "a parameter does not read back")
    if text != "b" { precondition(parameters?["b"] == "") }
  }

  private static func checkTarget(_ text: String) {
    let head = HTTPRequestHead(target: text)
    precondition(!head.path.isEmpty)
    _ = (head.query, head.pathSegments)
    let encoded = PercentEncoding.encode(text)
    let segments = HTTPRequestHead(target: "/a/\(encoded)/b?\(encoded)").pathSegments
    precondition(segments == ["a", text, "b"], "a segment does not read back")
  }

  private static func checkFields(_ text: String) {
    let value = String(decoding: text.utf8.filter(HTTPSyntax.isFieldByte), as: UTF8.self)
    let fields: HTTPFields = ["Accept": value, "X": "1"]
    for element in fields.listValues(of: "accept") {
      precondition(!element.isEmpty && element.utf8.count <= value.utf8.count)
      precondition(fields.listContains(element, in: "ACCEPT"))
    }
    _ = HeaderParameters(value)
    if let boundary = MultipartBoundary(contentType: value) {
      precondition((1...70).contains(boundary.bytes.count))
      precondition(MultipartBoundary.isMeant(by: value))
    }
    let disposition = ContentDisposition.attachment.field(fileName: text)
    precondition(disposition.utf8.allSatisfy { (0x20...0x7e).contains($0) }, "a field is split")
    let parameters = HeaderParameters(disposition)
    precondition(parameters?.value == "attachment")
    let name = parameters?["filename*"]?.dropFirst("UTF-8''".count)
    precondition(name.flatMap { PercentEncoding.text($0.utf8) } == text, "a name is lost")
  }

  private static func checkRange(_ text: String) {
    for length in [0, 1, 1_000, Int64.max] {
      guard case .part(let part) = HTTPByteRange(text, length: length) else { continue }
      precondition(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= length)
    }
  }
}
