/// One field of a head: a name and a value (RFC 9110 §5).
package struct HTTPField: Sendable, Hashable {
  /// The name, spelled as its author did.
  package let name: String
  /// The value without the white space around it, and without CR, LF or NUL.
  package let value: String

  /// Makes a field, with each control character of `value` but the tab turned into a space.
  ///
  /// A value from any source then cannot end its line and begin another.
  ///
  /// - Precondition: `name` is a token (RFC 9110 §5.6.2).
  package init(name: String, value: String) {
    precondition(HTTPSyntax.isToken(name.utf8), "a field's name is not a token")
    self.name = name
    if value.utf8.allSatisfy(HTTPSyntax.isFieldByte) {
      self.value = value
    } else {
      let safe = value.utf8.map { HTTPSyntax.isFieldByte($0) ? $0 : UInt8(ascii: " ") }
      self.value = String(decoding: safe, as: UTF8.self)
    }
  }

  /// Makes a field from a line whose bytes the parser has checked already.
  init(checkedName name: String, value: String) {
    self.name = name
    self.value = value
  }
}
