/// Collects a body within limits and removes a chunked coding (RFC 9112 §7.1).
struct HTTPBodyReader: Sendable {
  private enum State: Sendable {
    case fixed(missing: Int)
    case untilEnd
    case chunkSize(LineReader)
    case chunk(missing: Int)
    case chunkEnd(LineReader)
    case trailers(LineReader, Trailers)
    case complete
  }

  /// The part of the limits used up by discarded trailers.
  private struct Trailers: Sendable {
    var byteCount = 0
    var count = 0
  }

  private var state: State
  /// The received bytes that have not been taken as pieces.
  private(set) var body: [UInt8] = []
  /// The total number of received bytes.
  private var byteCount = 0
  private var extensionBytes = 0

  /// Starts a body; a declared length over the limit is refused immediately.
  init(_ framing: BodyFraming, limits: HTTPLimits) throws(HTTPError) {
    switch framing {
    case .length(let count):
      guard count <= limits.bodyBytes else { throw Self.tooLarge(limits) }
      state = count == 0 ? .complete : .fixed(missing: count)
    case .chunked: state = .chunkSize(LineReader())
    case .untilEnd: state = .untilEnd
    }
  }

  /// Whether the last byte of the body has been received.
  var isComplete: Bool {
    if case .complete = state { true } else { false }
  }

  /// Whether the end of the connection is a valid end of the body.
  var endsWithConnection: Bool {
    if case .untilEnd = state { true } else { false }
  }

  /// Returns the bytes received since the last piece.
  mutating func takePiece() -> [UInt8] {
    defer { body = [] }
    return body
  }

  /// Consumes bytes from `offset`, up to the end of the body.
  mutating func receive(
    _ input: Span<UInt8>, at offset: inout Int, limits: HTTPLimits
  ) throws(HTTPError) {
    while offset < input.count, !isComplete {
      try step(input, at: &offset, limits: limits)
    }
  }

  private mutating func step(
    _ input: Span<UInt8>, at offset: inout Int, limits: HTTPLimits
  ) throws(HTTPError) {
    switch state {
    case .fixed(let missing):
      let left = try take(input, at: &offset, upTo: missing, limits: limits)
      state = left == 0 ? .complete : .fixed(missing: left)
    case .untilEnd:
      _ = try take(input, at: &offset, upTo: input.count - offset, limits: limits)
    case .chunkSize(let lines):
      try readChunkSize(lines, input, at: &offset, limits: limits)
    case .chunk(let missing):
      let left = try take(input, at: &offset, upTo: missing, limits: limits)
      state = left == 0 ? .chunkEnd(LineReader()) : .chunk(missing: left)
    case .chunkEnd(let lines):
      try readChunkEnd(lines, input, at: &offset)
    case .trailers(let lines, let trailers):
      try readTrailer(lines, trailers, input, at: &offset, limits: limits)
    case .complete:
      return
    }
  }

  /// Moves at most `missing` bytes to the body, and returns how many are still missing.
  private mutating func take(
    _ input: Span<UInt8>, at offset: inout Int, upTo missing: Int, limits: HTTPLimits
  ) throws(HTTPError) -> Int {
    let count = min(missing, input.count - offset)
    guard count <= limits.bodyBytes - byteCount else { throw Self.tooLarge(limits) }
    input.extracting(offset..<(offset + count)).withUnsafeBufferPointer {
      body.append(contentsOf: $0)
    }
    byteCount += count
    offset += count
    return missing - count
  }

  private mutating func readChunkSize(
    _ reader: LineReader, _ input: Span<UInt8>, at offset: inout Int, limits: HTTPLimits
  ) throws(HTTPError) {
    var lines = reader
    guard
      let line = try Self.nextLine(&lines, input, at: &offset, limit: limits.chunkLineBytes)
    else {
      state = .chunkSize(lines)
      return
    }
    let digits = line.prefix { $0 != UInt8(ascii: ";") }
    // Each chunk may have extensions; without a limit, they would make a small body expensive.
    extensionBytes += line.count - digits.count
    guard extensionBytes <= limits.headBytes else {
      throw .badRequest("The chunk extensions are longer than \(limits.headBytes) bytes.")
    }
    let size = try Self.chunkSize(digits)
    guard size <= limits.bodyBytes - byteCount else { throw Self.tooLarge(limits) }
    state = size == 0 ? .trailers(LineReader(), Trailers()) : .chunk(missing: size)
  }

  private static func chunkSize(_ digits: ArraySlice<UInt8>) throws(HTTPError) -> Int {
    let isHexadecimal = digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    guard isHexadecimal, !digits.isEmpty, digits.count <= 16 else {
      throw .badRequest("A chunk's size is not a hexadecimal number of at most 16 digits.")
    }
    return Int(String(decoding: digits, as: UTF8.self), radix: 16) ?? .max
  }

  private mutating func readChunkEnd(
    _ reader: LineReader, _ input: Span<UInt8>, at offset: inout Int
  ) throws(HTTPError) {
    var lines = reader
    let line = try Self.nextLine(&lines, input, at: &offset, limit: 0)
    state = line == nil ? .chunkEnd(lines) : .chunkSize(LineReader())
  }

  private mutating func readTrailer(
    _ reader: LineReader, _ counts: Trailers, _ input: Span<UInt8>, at offset: inout Int,
    limits: HTTPLimits
  ) throws(HTTPError) {
    var (lines, trailers) = (reader, counts)
    let limit = limits.headBytes - trailers.byteCount
    guard let line = try Self.nextLine(&lines, input, at: &offset, limit: limit) else {
      state = .trailers(lines, trailers)
      return
    }
    if line.isEmpty {
      state = .complete
      return
    }
    _ = try FieldLine.parse(line)
    trailers.byteCount += min(line.count + 2, limit)
    trailers.count += 1
    guard trailers.count <= limits.fieldCount else {
      throw HTTPError(
        .requestHeaderFieldsTooLarge, "There are more than \(limits.fieldCount) trailers.")
    }
    state = .trailers(lines, trailers)
  }

  private static func nextLine(
    _ lines: inout LineReader, _ input: Span<UInt8>, at offset: inout Int, limit: Int
  ) throws(HTTPError) -> [UInt8]? {
    do {
      return try lines.next(from: input, at: &offset, limit: limit)
    } catch {
      throw .badRequest("The chunked body is malformed. \(error.sentence)")
    }
  }

  private static func tooLarge(_ limits: HTTPLimits) -> HTTPError {
    HTTPError(.contentTooLarge, "The body is larger than \(limits.bodyBytes) bytes.")
  }
}

/// The rule that finds the end of a body (RFC 9112 §6.3).
enum BodyFraming: Sendable, Equatable {
  case length(Int)
  case chunked
  case untilEnd

  /// The framing of a request's body; anything ambiguous is refused.
  init(request fields: HTTPFields, version: HTTPVersion) throws(HTTPError) {
    self = try Self.declared(fields, version: version) ?? .length(0)
  }

  /// The framing of the body of a response that may have one.
  init(response fields: HTTPFields, version: HTTPVersion) throws(HTTPError) {
    self = try Self.declared(fields, version: version) ?? .untilEnd
  }

  private static func declared(
    _ fields: HTTPFields, version: HTTPVersion
  ) throws(HTTPError) -> BodyFraming? {
    guard fields.contains("Transfer-Encoding") else {
      return try contentLength(fields).map(BodyFraming.length)
    }
    guard !fields.contains("Content-Length") else {
      throw .badRequest("The head has both a Content-Length and a Transfer-Encoding.")
    }
    guard version == .http11 else {
      throw .badRequest("HTTP/1.0 has no Transfer-Encoding.")
    }
    let codings = fields.listValues(of: "Transfer-Encoding")
    let isChunked = { HTTPSyntax.equalIgnoringCase($0, "chunked") }
    guard codings.filter(isChunked).count <= 1, let last = codings.last else {
      throw .badRequest("The Transfer-Encoding is not valid.")
    }
    guard codings.count == 1, isChunked(last) else {
      throw HTTPError(.notImplemented, "The only supported transfer coding is chunked.")
    }
    return .chunked
  }

  /// Several equal lengths count as one (RFC 9110 §8.6); different ones are an attack.
  private static func contentLength(_ fields: HTTPFields) throws(HTTPError) -> Int? {
    guard fields.contains("Content-Length") else { return nil }
    let values = fields.values(of: "Content-Length").flatMap {
      $0.split(separator: ",", omittingEmptySubsequences: false).map {
        HTTPSyntax.trimmed(ArraySlice($0.utf8))
      }
    }
    guard let first = values.first, values.allSatisfy({ $0 == first }) else {
      throw .badRequest("The Content-Length fields differ.")
    }
    guard !first.isEmpty, first.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .badRequest("The Content-Length is not a number.")
    }
    // A number that does not fit is treated as larger than any limit.
    return Int(String(decoding: first, as: UTF8.self)) ?? .max
  }
}
