/// Finds the request ids in a text that is refused as JSON, so that each refusal reaches its caller.
///
/// One pass that parses only the ids: strings are skipped, and nesting levels are counted. The id of a
/// request with two `id` members, or of an unfinished one, cannot be read.
struct RPCIdentifierSearch {
  /// The requests of a text.
  enum Result {
    case single(RPCIdentifier?)
    /// The ids in a batch, in order; requests without one are left out.
    case batch([RPCIdentifier])
  }

  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Searches a text of any size and depth.
  ///
  /// - Parameter limit: The maximum number of requests in a batch; no ids are returned for a larger
  ///   batch.
  /// - Complexity: O(*n*) in the number of bytes.
  static func ids(in bytes: [UInt8], limit: Int) -> Result {
    var search = Self(bytes)
    search.skipWhiteSpace()
    guard search.peek() == UInt8(ascii: "[") else { return .single(search.request()) }
    return .batch(search.batch(limit: limit))
  }

  private mutating func batch(limit: Int) -> [RPCIdentifier] {
    var ids: [RPCIdentifier] = []
    var requestCount = 0
    var depth = 0
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "{") where depth == 1:
        requestCount += 1
        guard requestCount <= limit else { return [] }
        if let id = request() { ids.append(id) }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        position += 1
        if depth == 0 { return ids }
      case UInt8(ascii: "\""): skipString()
      default: position += 1
      }
    }
    return ids
  }

  /// The id of the object that starts here; `nil` for any other value.
  private mutating func request() -> RPCIdentifier? {
    guard peek() == UInt8(ascii: "{") else { return nil }
    var id: RPCIdentifier?
    var hasID = false
    var depth = 0
    var isNameNext = false
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\""):
        let start = position
        skipString()
        guard depth == 1, isNameNext else { break }
        isNameNext = false
        guard bytes[start..<position].elementsEqual(#""id""#.utf8) else { break }
        guard !hasID else { return nil }
        hasID = true
        id = value()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
        if depth == 1 { isNameNext = true }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        position += 1
        if depth == 0 { return id }
      case UInt8(ascii: ","):
        position += 1
        if depth == 1 { isNameNext = true }
      default: position += 1
      }
    }
    return id
  }

  /// The id after a member's name, if it is followed by another member or the end of the object.
  private mutating func value() -> RPCIdentifier? {
    skipWhiteSpace()
    guard peek() == UInt8(ascii: ":") else { return nil }
    position += 1
    skipWhiteSpace()
    let start = position
    if peek() == UInt8(ascii: "\"") {
      skipString()
    } else {
      while let byte = peek(), Self.isPartOfNumber(byte) { position += 1 }
    }
    let text = Array(bytes[start..<position])
    skipWhiteSpace()
    guard peek() == UInt8(ascii: ",") || peek() == UInt8(ascii: "}"),
      let document = try? JSONDocument(text)
    else { return nil }
    return RPCIdentifier(document.root)
  }

  private static func isPartOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// Skips a string, or the rest of the text if the string does not end.
  private mutating func skipString() {
    position += 1
    while let byte = peek() {
      position += 1
      if byte == UInt8(ascii: "\"") { return }
      if byte == UInt8(ascii: "\\") { position = min(position + 1, bytes.count) }
    }
  }

  private mutating func skipWhiteSpace() {
    while let byte = peek(), byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d {
      position += 1
    }
  }

  private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }
}
