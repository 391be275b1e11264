/// Writes a JSON text, including commas.
///
///     JSONWriter.bytes { writer in
///       writer.object {
///         $0.member("name", channel.name)
///         $0.member("operators", array: { … })
///       }
///     }
///
/// The caller must follow the grammar: object values follow their names, and a document is one value.
package struct JSONWriter: ~Copyable {
  private var text: TextMemory
  private var needsComma = false

  /// The largest text in bytes that is written on the stack.
  private static let stackCapacity = 1_024

  /// Writes one text.
  ///
  /// The text is copied into its array at the end. To write into an uninitialized array costs more, because
  /// the standard library looks up the type of its memory in the runtime.
  ///
  /// - Parameter capacity: The expected size in bytes; a larger text costs an additional copy.
  package static func bytes(
    reserving capacity: Int = 512, _ write: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: stackCapacity) { memory in
      var writer = JSONWriter(text: TextMemory(memory, reserving: capacity))
      write(&writer)
      return writer.text.copy()
    }
  }

  private init(text: consuming TextMemory) { self.text = text }

  /// Writes an object whose members are added by `write`.
  @inline(__always)
  package mutating func object(_ write: (inout JSONWriter) -> Void) {
    open(UInt8(ascii: "{"))
    write(&self)
    close(UInt8(ascii: "}"))
  }

  /// Writes an array whose values are added by `write`.
  @inline(__always)
  package mutating func array(_ write: (inout JSONWriter) -> Void) {
    open(UInt8(ascii: "["))
    write(&self)
    close(UInt8(ascii: "]"))
  }

  /// Writes a member's name; its value must follow.
  package mutating func name(_ name: StaticString) {
    text.append(
      name: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount),
      afterComma: needsComma)
    needsComma = false
  }

  /// Writes members that are already JSON: `"a":1,"b":[]`.
  package mutating func members(raw json: StaticString) {
    separate()
    text.append(UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
    needsComma = true
  }

  /// Writes a member's name that is not known in advance; its value must follow.
  package mutating func name(escaping name: String) {
    value(name)
    text.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a string.
  package mutating func value(_ string: String) {
    separate()
    var string = string
    string.withUTF8 { text.append(escaping: $0) }
    needsComma = true
  }

  /// Writes a string without characters that need escapes.
  package mutating func value(unescaped string: String) {
    separate()
    var string = string
    string.withUTF8 { text.append(quoted: $0) }
    needsComma = true
  }

  /// Writes a whole number.
  package mutating func value(_ number: Int64) {
    separate()
    text.append(number)
    needsComma = true
  }

  /// Writes a whole number.
  package mutating func value(_ number: Int) {
    value(Int64(number))
  }

  /// Writes `true` or `false`.
  package mutating func value(_ claim: Bool) {
    word(claim ? "true" : "false")
  }

  /// Writes `null`.
  package mutating func null() {
    word("null")
  }

  // Generic parameters would not be specialised across targets, and be many times slower.

  /// Writes a value that is already JSON.
  package mutating func value(raw json: [UInt8]) {
    separate()
    json.withUnsafeBufferPointer { text.append($0) }
    needsComma = true
  }

  /// Writes a value that is already JSON.
  package mutating func value(raw json: ArraySlice<UInt8>) {
    separate()
    json.withUnsafeBufferPointer { text.append($0) }
    needsComma = true
  }

  /// Writes a value that is already JSON.
  package mutating func value(rawText json: String) {
    separate()
    var json = json
    json.withUTF8 { text.append($0) }
    needsComma = true
  }

  private mutating func word(_ word: StaticString) {
    separate()
    text.append(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { text.append(UInt8(ascii: ",")) }
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    text.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    text.append(bracket)
    needsComma = true
  }
}

/// Computes the size of values as JSON without writing them.
enum JSONSize {
  /// The size of a string in quotation marks, including its escapes.
  static func quoted(_ text: String) -> Int {
    var text = text
    let contents = text.withUTF8 { bytes in
      bytes.reduce(0) { $0 + JSONEscapes.byteCount(writing: $1) }
    }
    return contents + 2
  }

  /// The size of a list of strings.
  static func list(_ texts: [String]) -> Int {
    texts.reduce(2) { $0 + quoted($1) + 1 }
  }

  /// The maximum size of texts with this many UTF-8 bytes in total: a control character takes six.
  static func bound(ofBytes count: Int) -> Int { 6 * count }

  /// The longest prefix of a text that takes at most `limit` bytes including quotation marks, cut
  /// between two scalars.
  static func prefix(of text: String, within limit: Int) -> String {
    guard quoted(text) > limit else { return text }
    var rest = limit - 2
    let scalars = text.unicodeScalars.prefix { scalar in
      rest -= scalar.utf8.reduce(0) { $0 + JSONEscapes.byteCount(writing: $1) }
      return rest >= 0
    }
    return String(scalars)
  }
}

extension Unicode.Scalar {
  fileprivate var utf8: Unicode.UTF8.EncodedScalar {
    Unicode.UTF8.encode(self) ?? Unicode.UTF8.encodedReplacementCharacter
  }
}
