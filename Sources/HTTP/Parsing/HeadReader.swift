/// Collects a start line and its fields within limits, for requests and responses.
struct HeadReader: Sendable {
  struct Head: Sendable {
    var startLine: [UInt8]
    var fields: HTTPFields
  }

  private var lines = LineReader()
  private var startLine: [UInt8]?
  private var fields = HTTPFields()
  /// The number of bytes in complete lines, including their ends.
  private var byteCount = 0

  /// Whether no part of a head has been received.
  var isEmpty: Bool { startLine == nil && lines.isEmpty }

  /// Consumes bytes from `offset`, up to the empty line that ends the head.
  ///
  /// - Returns: The head, or `nil` when all of `input` was consumed without reaching the end.
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
        // Some careless clients send empty lines before a request (RFC 9112 §2.2).
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

/// Splits a byte stream into lines that end with CRLF, and refuses bytes that are not allowed in a line.
///
/// Strict where lenience has allowed request smuggling (RFC 9112 §11.2): a bare CR or LF, NUL, and all
/// other control characters except the tab are refused as they arrive.
struct LineReader: Sendable {
  enum Failure: Error {
    case tooLong
    case bareReturn
    case bareLineFeed
    case controlCharacter(UInt8)

    var sentence: String {
      switch self {
      case .tooLong: "A line is too long."
      case .bareReturn: "A carriage return is not followed by a line feed."
      case .bareLineFeed: "A line feed does not follow a carriage return."
      case .controlCharacter(let byte): "A line contains the control character \(byte)."
      }
    }
  }

  private(set) var line: [UInt8] = []
  private var endsWithReturn = false

  /// Whether no part of the line has been received.
  var isEmpty: Bool { line.isEmpty && !endsWithReturn }

  /// Consumes bytes from `offset`, up to the end of the line.
  ///
  /// - Parameter limit: The maximum number of bytes in the line, without its end.
  /// - Returns: The line without its end, or `nil` when all of `input` was consumed without reaching it.
  mutating func next(
    from input: Span<UInt8>, at offset: inout Int, limit: Int
  ) throws(Failure) -> [UInt8]? {
    while offset < input.count {
      let byte = input[offset]
      offset += 1
      if endsWithReturn {
        guard byte == 0x0A else { throw .bareReturn }
        defer { self = LineReader() }
        return line
      }
      switch byte {
      case 0x0D: endsWithReturn = true
      case 0x0A: throw .bareLineFeed
      case _ where HTTPSyntax.isFieldByte(byte):
        guard line.count < limit else { throw .tooLong }
        line.append(byte)
      default: throw .controlCharacter(byte)
      }
    }
    return nil
  }
}

/// Parses one field line (RFC 9112 §5).
enum FieldLine {
  static func parse(_ line: [UInt8]) throws(HTTPError) -> HTTPField {
    guard line.first != 0x20, line.first != 0x09 else {
      throw .badRequest("A header field is folded over several lines.")
    }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      throw .badRequest("A header field has no colon.")
    }
    let name = line[..<colon]
    guard HTTPSyntax.isToken(name) else {
      throw .badRequest("A header field's name is not a token.")
    }
    let value = HTTPSyntax.trimmed(line[(colon + 1)...])
    return HTTPField(
      checkedName: String(decoding: name, as: UTF8.self),
      value: String(decoding: value, as: UTF8.self))
  }
}

/// The limits above which a message is refused.
package struct HTTPLimits: Sendable, Hashable {
  /// The maximum number of bytes in a request line, without its line end; above that: 414.
  package var startLineBytes: Int
  /// The maximum number of bytes in a head, including line ends; above that: 431.
  ///
  /// Also the limit for a chunked body's trailers, and for all its chunk extensions together.
  package var headBytes: Int
  /// The maximum number of fields in a head; above that: 431.
  package var fieldCount: Int
  /// The maximum number of bytes in a body; above that: 413.
  package var bodyBytes: Int
  /// The maximum number of bytes in a chunk's size line; above that: 400.
  package var chunkLineBytes: Int

  /// Makes limits; the defaults suit a small API, and a query with 250 user ids.
  package init(
    startLineBytes: Int = 12_288, headBytes: Int = 16_384, fieldCount: Int = 100,
    bodyBytes: Int = 1_048_576, chunkLineBytes: Int = 256
  ) {
    self.startLineBytes = startLineBytes
    self.headBytes = headBytes
    self.fieldCount = fieldCount
    self.bodyBytes = bodyBytes
    self.chunkLineBytes = chunkLineBytes
  }
}
