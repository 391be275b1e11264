/// Writes JSON into one growing array of bytes, commas included.
///
///     writer.object {
///       $0.member("name", channel.name)
///       $0.member("operators", array: { … })
///     }
///
/// Nothing is allocated but the array. The caller keeps to the grammar: inside an object each value
/// follows a name, and a document is one value.
package struct JSONWriter: Sendable {
  /// The bytes written so far.
  package private(set) var bytes: [UInt8]
  private var needsComma = false

  /// Writes one text from its beginning, and returns it.
  package static func bytes(
    reserving capacity: Int = 512, _ write: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter(reserving: capacity)
    write(&writer)
    return writer.bytes
  }

  /// Begins an empty text.
  package init(reserving capacity: Int = 512) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  private init(continuing bytes: consuming [UInt8]) {
    self.bytes = bytes
  }

  /// Writes behind what `bytes` already holds.
  package static func append(to bytes: inout [UInt8], _ write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter(continuing: bytes.taken())
    write(&writer)
    bytes = writer.bytes
  }

  /// Writes an object whose members `write` adds.
  @inline(__always)
  package mutating func object(_ write: (inout JSONWriter) -> Void) {
    open(UInt8(ascii: "{"))
    write(&self)
    close(UInt8(ascii: "}"))
  }

  /// Writes an array whose values `write` adds.
  @inline(__always)
  package mutating func array(_ write: (inout JSONWriter) -> Void) {
    open(UInt8(ascii: "["))
    write(&self)
    close(UInt8(ascii: "]"))
  }

  /// Writes a member's name; its value must follow.
  package mutating func name(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    endName()
  }

  /// Writes a member's name that is not known in advance; its value must follow.
  package mutating func name(escaping name: String) {
    value(name)
    endName()
  }

  /// Writes a string.
  package mutating func value(_ text: String) {
    separate()
    JSONEscapes.appendQuoted(text, to: &bytes)
    needsComma = true
  }

  /// Writes a string that holds no character to be escaped.
  package mutating func value(unescaped text: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: text.utf8)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// Writes a whole number.
  package mutating func value(_ number: Int64) {
    separate()
    Self.appendDigits(of: number, to: &bytes)
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

  // Generic parameters would not be specialised across targets, and cost many times as much.

  /// Writes a value that is JSON already.
  package mutating func value(raw json: [UInt8]) {
    value(raw: json[...])
  }

  /// Writes a value that is JSON already.
  package mutating func value(raw json: ArraySlice<UInt8>) {
    separate()
    bytes.append(contentsOf: json)
    needsComma = true
  }

  /// Writes a value that is JSON already.
  package mutating func value(rawText json: String) {
    separate()
    bytes.append(contentsOf: json.utf8)
    needsComma = true
  }

  private mutating func word(_ word: StaticString) {
    separate()
    word.withUTF8Buffer { bytes.append(contentsOf: $0) }
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func endName() {
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private static func appendDigits(of number: Int64, to bytes: inout [UInt8]) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    // The last digit comes first: they are put into place beforehand, and appended at once.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var first = 20
      var rest = number.magnitude
      repeat {
        let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
        first -= 1
        digits.initializeElement(
          at: first, to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
        rest = quotient
      } while rest != 0
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[first..<20]))
    }
  }
}

extension [UInt8] {
  /// The bytes, leaving none behind, so that who goes on with them need not copy.
  fileprivate mutating func taken() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&self, &taken)
    return taken
  }
}

/// The bytes that values take as JSON, without writing them.
enum JSONSize {
  /// A string in quotation marks, its escapes counted.
  static func quoted(_ text: String) -> Int {
    var text = text
    let contents = text.withUTF8 { bytes in
      bytes.reduce(0) { $0 + JSONEscapes.byteCount(writing: $1) }
    }
    return contents + 2
  }

  /// A list of strings.
  static func list(_ texts: [String]) -> Int {
    texts.reduce(2) { $0 + quoted($1) + 1 }
  }

  /// The largest size of texts with this many UTF-8 bytes together: a control character is six bytes.
  static func bound(ofBytes count: Int) -> Int { 6 * count }

  /// The longest beginning of a text that takes at most `limit` bytes with its quotation marks,
  /// never less than a whole scalar cut off.
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
