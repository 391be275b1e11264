import Basics

/// A field's value followed by parameters: `form-data; name="file"; filename="a.png"`.
///
/// Quoted strings are parsed as browsers write them: `\"` and `\\` stand for the second character. Any
/// other backslash is literal, because names of files on some systems contain many of them.
struct HeaderParameters: Sendable, Hashable {
  /// The text before the first semicolon, in lower case.
  let value: String
  /// In order; names in lower case.
  private let parameters: [(name: String, value: String)]

  static func == (one: HeaderParameters, other: HeaderParameters) -> Bool {
    one.value == other.value && one.parameters.elementsEqual(other.parameters, by: ==)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(value)
  }

  /// Parses a value; `nil` when it does not have that form.
  init?(_ text: String) {
    var rest = ArraySlice(text.utf8)
    let value = HTTPSyntax.trimmed(Self.take(&rest) { $0 != UInt8(ascii: ";") })
    guard !value.isEmpty else { return nil }
    var parameters: [(String, String)] = []
    while rest.popFirst() != nil {
      rest = HTTPSyntax.trimmed(rest)
      // A semicolon at the end is common and harmless.
      if rest.isEmpty { break }
      guard let parameter = Self.parameter(&rest) else { return nil }
      parameters.append(parameter)
    }
    self.value = String(decoding: value, as: UTF8.self).lowercased()
    self.parameters = parameters
  }

  /// The first parameter with this name, which must be in lower case.
  subscript(_ name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  private static func parameter(_ rest: inout ArraySlice<UInt8>) -> (String, String)? {
    let name = HTTPSyntax.trimmed(
      take(&rest) { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") })
    guard HTTPSyntax.isToken(name), rest.popFirst() == UInt8(ascii: "=") else { return nil }
    rest = HTTPSyntax.trimmed(rest)
    let value: [UInt8]
    if rest.first == UInt8(ascii: "\"") {
      guard let quoted = quotedString(&rest) else { return nil }
      value = quoted
    } else {
      value = Array(HTTPSyntax.trimmed(take(&rest) { $0 != UInt8(ascii: ";") }))
    }
    rest = HTTPSyntax.trimmed(rest)
    guard rest.isEmpty || rest.first == UInt8(ascii: ";") else { return nil }
    return (
      String(decoding: name, as: UTF8.self).lowercased(), String(decoding: value, as: UTF8.self)
    )
  }

  private static func quotedString(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
    rest.removeFirst()
    var value: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == quote { return value }
      if byte == backslash, let next = rest.first, next == quote || next == backslash {
        rest.removeFirst()
        value.append(next)
      } else {
        value.append(byte)
      }
    }
    return nil
  }

  private static func take(
    _ rest: inout ArraySlice<UInt8>, while belongs: (UInt8) -> Bool
  ) -> ArraySlice<UInt8> {
    let taken = rest.prefix(while: belongs)
    rest = rest[taken.endIndex...]
    return taken
  }
}

/// The presentation of content, and the name under which to save it (RFC 6266).
package enum ContentDisposition: String, Sendable {
  /// The content is shown in place.
  case inline
  /// The content is saved.
  case attachment

  /// The field's value.
  ///
  /// - Parameter fileName: In any script; an ASCII form is added for old clients.
  package func field(fileName: String) -> String {
    let plain = String(
      decoding: fileName.unicodeScalars.map(Self.asciiByte), as: UTF8.self)
    let encoded = PercentEncoding.encode(fileName)
    return "\(rawValue); filename=\"\(plain)\"; filename*=UTF-8''\(encoded)"
  }

  private static func asciiByte(_ scalar: Unicode.Scalar) -> UInt8 {
    switch scalar {
    case "\"", "\\", "%": UInt8(ascii: "_")
    case " "..."~": UInt8(truncatingIfNeeded: scalar.value)
    default: UInt8(ascii: "_")
    }
  }
}
