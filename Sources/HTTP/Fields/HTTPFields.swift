/// One field of a head: a name and a value (RFC 9110 §5).
package struct HTTPField: Sendable, Hashable {
  /// The name, spelled as it was received or set.
  package let name: String
  /// The value without the white space around it, and without CR, LF or NUL.
  package let value: String

  /// Makes a field in which each control character of `value` except the tab is replaced by a space.
  ///
  /// A value from any source then cannot end its line and start another.
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

  /// Makes a field from a line whose bytes the parser has already checked.
  init(checkedName name: String, value: String) {
    self.name = name
    self.value = value
  }
}

/// The fields of a head, in their original order and spelling; names are looked up ignoring case.
package struct HTTPFields: Sendable, Hashable {
  private var fields: [HTTPField] = []

  /// Makes an empty list of fields.
  package init() {}

  /// The first value of the field `name`, or `nil`.
  ///
  /// Setting replaces all fields of that name by one at the end; setting `nil` removes them.
  package subscript(name: String) -> String? {
    get { fields.first { HTTPSyntax.equalIgnoringCase($0.name, name) }?.value }
    set {
      fields.removeAll { HTTPSyntax.equalIgnoringCase($0.name, name) }
      if let newValue { append(name, newValue) }
    }
  }

  /// Appends a field, leaving others of the same name in place.
  ///
  /// - Precondition: `name` is a token (RFC 9110 §5.6.2).
  package mutating func append(_ name: String, _ value: String) {
    fields.append(HTTPField(name: name, value: value))
  }

  mutating func append(_ field: HTTPField) {
    fields.append(field)
  }

  /// Whether there is a field of this name.
  package func contains(_ name: String) -> Bool { self[name] != nil }

  /// All values of the field `name`, in order.
  package func values(of name: String) -> [String] {
    fields.lazy.filter { HTTPSyntax.equalIgnoringCase($0.name, name) }.map(\.value)
  }

  /// The elements of a field that is a comma-separated list (RFC 9110 §5.6.1), over all fields of
  /// that name, without the white space around them.
  ///
  /// Commas in quoted strings do not separate; empty elements are left out.
  package func listValues(of name: String) -> [String] {
    values(of: name).flatMap(Self.elements)
  }

  /// Whether the list field `name` has this element, ignoring case.
  package func listContains(_ element: String, in name: String) -> Bool {
    listValues(of: name).contains { HTTPSyntax.equalIgnoringCase($0, element) }
  }

  private static func elements(of value: String) -> [String] {
    var elements: [String] = []
    var element: [UInt8] = []
    var quoting = Quoting.none
    for byte in value.utf8 {
      quoting = quoting.after(byte)
      if byte == UInt8(ascii: ","), quoting == .none {
        elements.append(String(decoding: HTTPSyntax.trimmed(element[...]), as: UTF8.self))
        element.removeAll(keepingCapacity: true)
      } else {
        element.append(byte)
      }
    }
    elements.append(String(decoding: HTTPSyntax.trimmed(element[...]), as: UTF8.self))
    return elements.filter { !$0.isEmpty }
  }

  /// The state of a reader with regard to quoted strings (RFC 9110 §5.6.4).
  private enum Quoting {
    case none, quoted, escaped

    func after(_ byte: UInt8) -> Quoting {
      switch (self, byte) {
      case (.none, UInt8(ascii: "\"")): .quoted
      case (.none, _): .none
      case (.quoted, UInt8(ascii: "\"")): .none
      case (.quoted, UInt8(ascii: "\\")): .escaped
      case (.quoted, _), (.escaped, _): .quoted
      }
    }
  }
}

extension HTTPFields: RandomAccessCollection {
  package var startIndex: Int { fields.startIndex }
  package var endIndex: Int { fields.endIndex }
  package subscript(position: Int) -> HTTPField { fields[position] }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
  /// Makes fields from names and values in their order; names may repeat.
  package init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(name, value) }
  }
}
