/// An event of a multipart parser.
package enum MultipartEvent: Sendable, Hashable {
  /// A part begins.
  case part(MultipartPart)
  /// The next bytes of the part; never empty.
  case bytes([UInt8])
  /// The part is complete.
  case partEnd
  /// The last part is complete; bytes after it are ignored.
  case end
}

/// Parses the parts of a `multipart/form-data` body as it arrives (RFC 7578, RFC 2046 §5.1).
///
///     preamble ─► delimiter ─► head ─► content ─► delimiter ─► … ─► delimiter with "--" ─► epilogue
///
/// Stores at most a part's head and the beginning of a possible delimiter. Follows the grammar strictly:
/// line ends are CRLF, and anything that looks like a delimiter is one.
package struct MultipartParser: Sendable {
  private enum State: Sendable {
    case preamble
    case content
    /// The last bytes of the content have been returned.
    case contentEnd
    /// The text after a delimiter on its line.
    case delimiterLine([UInt8])
    case head(LineReader, PartHead)
    case epilogue
    case failed(HTTPError)
  }

  private struct PartHead: Sendable {
    var fields = HTTPFields()
    var byteCount = 0
  }

  /// The maximum number of bytes (spaces and tabs) between a delimiter and the end of its line.
  private static let paddingLimit = 64

  private let limits: MultipartLimits
  /// CRLF, two hyphens and the boundary.
  ///
  /// CR occurs only at the start, so bytes that were matched by mistake cannot contain another start of
  /// a delimiter.
  private let delimiter: [UInt8]
  /// The number of delimiter bytes that have been matched.
  private var matched = 2
  /// The number of matched bytes that were implied: the line end before a delimiter at the very
  /// beginning, or right after a head.
  private var implied = 2
  private var state = State.preamble
  private var partCount = 0

  /// Makes a parser at the start of a body.
  package init(boundary: MultipartBoundary, limits: MultipartLimits = MultipartLimits()) {
    self.limits = limits
    delimiter = Array("\r\n--".utf8) + boundary.bytes
  }

  /// Whether the last part is complete: a body that ends earlier was truncated.
  package var hasEnded: Bool {
    if case .epilogue = state { true } else { false }
  }

  /// Consumes bytes up to the next event.
  ///
  /// - Parameter input: Bytes received and not yet consumed, split anywhere.
  /// - Returns: The number of bytes consumed, and the resulting event. After an event, call again with
  ///   the rest, even if it is empty; `nil` means that all bytes were consumed and more are needed.
  /// - Throws: ``HTTPError`` with 400, in this and every later call.
  package mutating func receive(
    _ input: Span<UInt8>
  ) throws(HTTPError) -> (consumed: Int, event: MultipartEvent?) {
    var offset = 0
    do {
      while true {
        if let event = try step(input, at: &offset) { return (offset, event) }
        if offset == input.count, !owesEvent { return (offset, nil) }
      }
    } catch {
      state = .failed(error)
      throw error
    }
  }

  private var owesEvent: Bool {
    if case .contentEnd = state { true } else { false }
  }

  private mutating func step(
    _ input: Span<UInt8>, at offset: inout Int
  ) throws(HTTPError) -> MultipartEvent? {
    switch state {
    case .preamble:
      _ = scan(input, at: &offset, atDelimiter: .delimiterLine([]))
      return nil
    case .content:
      let bytes = scan(input, at: &offset, atDelimiter: .contentEnd)
      return bytes.isEmpty ? nil : .bytes(bytes)
    case .contentEnd:
      state = .delimiterLine([])
      return .partEnd
    case .delimiterLine(let line): return try readDelimiterLine(line, input, at: &offset)
    case .head(let lines, let head): return try readHead(lines, head, input, at: &offset)
    case .epilogue:
      offset = input.count
      return nil
    case .failed(let error): throw error
    }
  }

  /// Consumes bytes up to and including the next delimiter, or all.
  ///
  /// - Returns: The bytes that cannot be part of the delimiter.
  private mutating func scan(
    _ input: Span<UInt8>, at offset: inout Int, atDelimiter next: State
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    while offset < input.count {
      if matched == 0 { takePlain(input, at: &offset, into: &bytes) }
      guard offset < input.count else { break }
      if input[offset] == delimiter[matched] {
        matched += 1
        offset += 1
        guard matched == delimiter.count else { continue }
        (matched, implied) = (0, 0)
        state = next
        break
      }
      bytes += delimiter[implied..<matched]
      (matched, implied) = (0, 0)
      // A carriage return is processed again, because it may start the delimiter.
      if input[offset] != delimiter[0] {
        bytes.append(input[offset])
        offset += 1
      }
    }
    return bytes
  }

  /// Consumes bytes up to a carriage return.
  private func takePlain(
    _ input: Span<UInt8>, at offset: inout Int, into bytes: inout [UInt8]
  ) {
    let start = offset
    while offset < input.count, input[offset] != 0x0D { offset += 1 }
    input.extracting(start..<offset).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
  }

  private mutating func readDelimiterLine(
    _ taken: [UInt8], _ input: Span<UInt8>, at offset: inout Int
  ) throws(HTTPError) -> MultipartEvent? {
    var line = taken
    while offset < input.count {
      line.append(input[offset])
      offset += 1
      if line == Array("--".utf8) {
        state = .epilogue
        return .end
      }
      if line.last == 0x0A {
        try checkDelimiterLine(line)
        state = .head(LineReader(), PartHead())
        return nil
      }
      guard line.count <= Self.paddingLimit else { throw Self.badDelimiter }
    }
    state = .delimiterLine(line)
    return nil
  }

  private mutating func checkDelimiterLine(_ line: [UInt8]) throws(HTTPError) {
    guard line.suffix(2) == [0x0D, 0x0A],
      line.dropLast(2).allSatisfy({ $0 == 0x20 || $0 == 0x09 })
    else { throw Self.badDelimiter }
    partCount += 1
    guard partCount <= limits.partCount else {
      throw .badRequest("The form has more than \(limits.partCount) parts.")
    }
  }

  private mutating func readHead(
    _ reader: LineReader, _ taken: PartHead, _ input: Span<UInt8>, at offset: inout Int
  ) throws(HTTPError) -> MultipartEvent? {
    var (lines, head) = (reader, taken)
    let limit = limits.headBytes - head.byteCount
    guard let line = try Self.nextLine(&lines, input, at: &offset, limit: limit) else {
      state = .head(lines, head)
      return nil
    }
    guard !line.isEmpty else {
      // A part without content ends with a delimiter whose line end is also that of the head.
      (matched, implied) = (2, 2)
      state = .content
      return .part(try MultipartPart(head.fields))
    }
    head.fields.append(try FieldLine.parse(line))
    head.byteCount += min(line.count + 2, limit)
    state = .head(LineReader(), head)
    return nil
  }

  private static func nextLine(
    _ lines: inout LineReader, _ input: Span<UInt8>, at offset: inout Int, limit: Int
  ) throws(HTTPError) -> [UInt8]? {
    do {
      return try lines.next(from: input, at: &offset, limit: limit)
    } catch {
      throw .badRequest("The head of a part of the form is malformed. \(error.sentence)")
    }
  }

  private static let badDelimiter = HTTPError.badRequest(
    "What follows the boundary of the form is neither a line end nor two hyphens.")
}
