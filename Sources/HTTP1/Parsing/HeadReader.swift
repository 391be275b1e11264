/// Collects a start line and its fields, within limits; the same for requests and responses.
struct HeadReader: Sendable {
  struct Head: Sendable {
    var startLine: [UInt8]
    var fields: HTTPFields
  }

  private var lines = LineReader()
  private var startLine: [UInt8]?
  private var fields = HTTPFields()
  /// Bytes of the lines that are complete, their ends included.
  private var byteCount = 0

  /// Whether nothing of a head has come yet.
  var isEmpty: Bool { startLine == nil && lines.isEmpty }

  /// Takes bytes from `offset` on, up to the empty line that ends the head.
  ///
  /// - Returns: The head, or `nil` when all of `input` was taken without its end.
  mutating func next(
    from input: Span<UInt8>, at offset: inout Int, limits: HTTPLimits
  ) throws(HTTPError) -> Head? {
    while let line = try nextLine(from: input, at: &offset, limits: limits) {
      byteCount += line.count + 2
      guard byteCount <= limits.headBytes else { throw Self.tooLarge(limits) }
      if let startLine {
        if line.isEmpty { return Head(startLine: startLine, fields: fields) }
        guard fields.count < limits.fieldCount else {
          throw HTTPError(
            .requestHeaderFieldsTooLarge,
            "There are more than \(limits.fieldCount) header fields.")
        }
        fields.append(try FieldLine.parse(line))
      } else if !line.isEmpty {
        // Empty lines before a request are left over from careless clients (RFC 9112 §2.2).
        startLine = line
      }
    }
    return nil
  }

  private mutating func nextLine(
    from input: Span<UInt8>, at offset: inout Int, limits: HTTPLimits
  ) throws(HTTPError) -> [UInt8]? {
    let headLimit = limits.headBytes - byteCount
    let limit = startLine == nil ? min(limits.startLineBytes, headLimit) : headLimit
    do {
      return try lines.next(from: input, at: &offset, limit: limit)
    } catch .tooLong where startLine != nil {
      throw Self.tooLarge(limits)
    } catch .tooLong where lines.line.contains(0x20) {
      throw HTTPError(.uriTooLong, "The request line is longer than \(limit) bytes.")
    } catch {
      throw .badRequest(error.sentence)
    }
  }

  private static func tooLarge(_ limits: HTTPLimits) -> HTTPError {
    HTTPError(
      .requestHeaderFieldsTooLarge, "The head is larger than \(limits.headBytes) bytes.")
  }
}
