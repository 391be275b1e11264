extension JSONWriter {
  /// Writes a member that is a string.
  package mutating func member(_ name: StaticString, _ text: String) {
    self.name(name)
    value(text)
  }

  /// Writes a member that is a string, or `null`.
  package mutating func member(_ name: StaticString, orNull text: String?) {
    self.name(name)
    if let text { value(text) } else { null() }
  }

  /// Writes a member that is a string, or no member for `nil`.
  package mutating func member(_ name: StaticString, ifKnown text: String?) {
    if let text { member(name, text) }
  }

  /// Writes a member that is a whole number.
  package mutating func member(_ name: StaticString, _ number: Int64) {
    self.name(name)
    value(number)
  }

  /// Writes a member that is a whole number.
  package mutating func member(_ name: StaticString, _ number: Int) {
    member(name, Int64(number))
  }

  /// Writes a member that is `true` or `false`.
  package mutating func member(_ name: StaticString, _ claim: Bool) {
    self.name(name)
    value(claim)
  }

  /// Writes a member whose value is already JSON.
  package mutating func member(_ name: StaticString, raw json: [UInt8]) {
    self.name(name)
    value(raw: json)
  }

  /// Writes a member that is an object.
  @inline(__always)
  package mutating func member(
    _ name: StaticString, object write: (inout JSONWriter) -> Void
  ) {
    self.name(name)
    object(write)
  }

  /// Writes a member that is an array.
  @inline(__always)
  package mutating func member(_ name: StaticString, array write: (inout JSONWriter) -> Void) {
    self.name(name)
    array(write)
  }

  /// Writes a member that is a list of strings.
  package mutating func member(_ name: StaticString, _ texts: [String]) {
    member(name, array: { for text in texts { $0.value(text) } })
  }

  /// Writes a member that is an object of strings.
  package mutating func member(_ name: StaticString, _ texts: [String: String]) {
    self.name(name)
    texts.encode(into: &self)
  }
}
