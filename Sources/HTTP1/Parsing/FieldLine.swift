/// Parses one field line (RFC 9112 §5).
enum FieldLine {
  static func parse(_ line: [UInt8]) throws(HTTPError) -> HTTPField {
    guard line.first != 0x20, line.first != 0x09 else {
      throw .badRequest("A header field is folded over several lines.")
    }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      throw .badRequest("A header field has no colon.")
    }
    let name = line[..<colon]
    guard HTTPSyntax.isToken(name) else {
      throw .badRequest("A header field's name is not a token.")
    }
    let value = HTTPSyntax.trimmed(line[(colon + 1)...])
    return HTTPField(
      checkedName: String(decoding: name, as: UTF8.self),
      value: String(decoding: value, as: UTF8.self))
  }
}
