/// Parses a JSON text in one pass and records the position of each value.
///
/// The depth limit bounds recursion; no values are decoded or copied.
struct JSONParser {
  let bytes: [UInt8]
  let limits: JSONLimits
  var position = 0
  private(set) var entries: [JSONEntry] = []
  private var depth = 0

  init(bytes: [UInt8], limits: JSONLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  /// Parses one value, which may only be surrounded by white space.
  mutating func parseDocument() throws(JSONError) {
    guard bytes.count <= min(limits.byteCount, Int(UInt32.max) - 1) else {
      throw JSONError(.limit, at: 0, "the text is longer than \(limits.byteCount) bytes")
    }
    entries.reserveCapacity(min(limits.nodeCount, bytes.count / 8 + 8))
    try parseValue()
    skipWhiteSpace()
    guard position == bytes.count else { throw syntax("unexpected text after the value") }
  }

  mutating func parseValue() throws(JSONError) {
    skipWhiteSpace()
    guard let byte = peek() else { throw syntax("the text ends where a value is expected") }
    switch byte {
    case UInt8(ascii: "\""): _ = try parseString()
    case UInt8(ascii: "{"): try parseObject()
    case UInt8(ascii: "["): try parseArray()
    case UInt8(ascii: "t"): try parseWord("true", .bool)
    case UInt8(ascii: "f"): try parseWord("false", .bool)
    case UInt8(ascii: "n"): try parseWord("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try parseNumber()
    default: throw syntax("a value is expected")
    }
  }

  func syntax(_ reason: String) -> JSONError { JSONError(.syntax, at: position, reason) }

  func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Skips `byte` if it comes next.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  @inline(__always)
  mutating func skipWhiteSpace() {
    while position < bytes.count, bytes[position] <= 0x20 {
      switch bytes[position] {
      case 0x20, 0x09, 0x0a, 0x0d: position += 1
      default: return
      }
    }
  }

  /// Records a value that contains no others and ends at the current position.
  mutating func appendScalar(
    _ kind: JSONKind, from start: Int, hasEscapes: Bool = false
  )
    throws(JSONError)
  {
    try append(
      JSONEntry(
        kind: kind, hasEscapes: hasEscapes, start: UInt32(start), end: UInt32(position),
        next: UInt32(entries.count + 1)))
  }

  @inline(__always)
  private mutating func append(_ entry: JSONEntry) throws(JSONError) {
    guard entries.count < limits.nodeCount else {
      throw JSONError(.limit, at: Int(entry.start), "more than \(limits.nodeCount) values")
    }
    entries.append(entry)
  }

  @inline(__always)
  private mutating func close(_ index: Int) {
    entries[index].end = UInt32(position)
    entries[index].next = UInt32(entries.count)
  }

  private mutating func open(_ kind: JSONKind) throws(JSONError) -> Int {
    depth += 1
    guard depth <= limits.depth else {
      throw JSONError(.limit, at: position, "nested deeper than \(limits.depth) levels")
    }
    let start = UInt32(position)
    try append(JSONEntry(kind: kind, start: start, end: start, next: 0))
    position += 1
    return entries.count - 1
  }

  private mutating func parseArray() throws(JSONError) {
    let index = try open(.array)
    skipWhiteSpace()
    if !skip(UInt8(ascii: "]")) {
      repeat { try parseValue() } while try hasMore(before: UInt8(ascii: "]"))
    }
    depth -= 1
    close(index)
  }

  private mutating func parseObject() throws(JSONError) {
    let index = try open(.object)
    skipWhiteSpace()
    var lengths = NameLengths()
    if !skip(UInt8(ascii: "}")) {
      repeat { try parseMember(&lengths) } while try hasMore(before: UInt8(ascii: "}"))
    }
    depth -= 1
    entries[index].nameLengths = lengths
    close(index)
    try checkNames(ofObjectAt: index)
  }

  private mutating func parseMember(_ lengths: inout NameLengths) throws(JSONError) {
    skipWhiteSpace()
    guard peek() == UInt8(ascii: "\"") else { throw syntax("a member's name is expected") }
    let start = position
    if try parseString() { lengths.insertAll() } else { lengths.insert(position - start - 2) }
    skipWhiteSpace()
    guard skip(UInt8(ascii: ":")) else { throw syntax("':' is expected after a member's name") }
    try parseValue()
  }

  private mutating func hasMore(before end: UInt8) throws(JSONError) -> Bool {
    skipWhiteSpace()
    if skip(UInt8(ascii: ",")) { return true }
    guard skip(end) else {
      throw syntax("',' or '\(Character(Unicode.Scalar(end)))' is expected")
    }
    return false
  }

  private mutating func parseWord(_ word: StaticString, _ kind: JSONKind) throws(JSONError) {
    let start = position
    for offset in 0..<word.utf8CodeUnitCount {
      guard skip(word.utf8Start[offset]) else {
        throw JSONError(.syntax, at: start, "a value is expected")
      }
    }
    try appendScalar(kind, from: start)
  }
}

extension JSONParser {
  /// The number of members up to which comparing all pairs of names is cheaper than using a set.
  private static let pairwiseLimit = 12

  /// Refuses an object with two members of the same name: parsers differ in which one counts.
  func checkNames(ofObjectAt index: Int) throws(JSONError) {
    let end = Int(entries[index].next)
    var count = 0
    var name = index + 1
    while name < end {
      count += 1
      guard count <= Self.pairwiseLimit else { return try checkManyNames(ofObjectAt: index) }
      try compare(name, withNamesFrom: index + 1)
      name = following(name)
    }
  }

  private func compare(_ name: Int, withNamesFrom first: Int) throws(JSONError) {
    var earlier = first
    while earlier < name {
      guard !areEqual(entries[earlier], entries[name]) else { throw duplicate(name) }
      earlier = following(earlier)
    }
  }

  /// Linear even for malicious objects: sets of bytes are hashed with a random seed.
  private func checkManyNames(ofObjectAt index: Int) throws(JSONError) {
    var seen: Set<ArraySlice<UInt8>> = []
    var name = index + 1
    while name < Int(entries[index].next) {
      guard seen.insert(decodedName(entries[name])).inserted else { throw duplicate(name) }
      name = following(name)
    }
  }

  private func following(_ name: Int) -> Int { Int(entries[name + 1].next) }

  private func areEqual(_ one: JSONEntry, _ other: JSONEntry) -> Bool {
    if one.hasEscapes || other.hasEscapes { return decodedName(one) == decodedName(other) }
    guard one.end - one.start == other.end - other.start else { return false }
    let distance = Int(other.start) - Int(one.start)
    for index in Int(one.start)..<Int(one.end) where bytes[index] != bytes[index + distance] {
      return false
    }
    return true
  }

  private func decodedName(_ entry: JSONEntry) -> ArraySlice<UInt8> {
    entry.hasEscapes ? JSONEscapes.resolved(contents(entry))[...] : contents(entry)
  }

  private func contents(_ entry: JSONEntry) -> ArraySlice<UInt8> {
    bytes[Int(entry.start) + 1..<Int(entry.end) - 1]
  }

  private func duplicate(_ name: Int) -> JSONError {
    JSONError(.duplicateMember, at: Int(entries[name].start), "a member's name is repeated")
  }
}

extension JSONParser {
  /// Parses `-? (0 | [1-9][0-9]*) (.[0-9]+)? ([eE][+-]?[0-9]+)?` (RFC 8259 §6).
  mutating func parseNumber() throws(JSONError) {
    let start = position
    _ = skip(UInt8(ascii: "-"))
    if skip(UInt8(ascii: "0")) {
      guard !isDigitNext else { throw syntax("a number may not begin with 0") }
    } else {
      try skipDigits()
    }
    if skip(UInt8(ascii: ".")) { try skipDigits() }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      _ = skip(UInt8(ascii: "+")) || skip(UInt8(ascii: "-"))
      try skipDigits()
    }
    try appendScalar(.number, from: start)
  }

  private var isDigitNext: Bool {
    peek().map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
  }

  private mutating func skipDigits() throws(JSONError) {
    guard isDigitNext else { throw syntax("a digit is expected") }
    while isDigitNext { position += 1 }
  }
}
