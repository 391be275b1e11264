/// The kind of request that a response answers, which decides whether a body follows.
package enum HTTPRequestKind: Sendable, Hashable {
  /// HEAD: the response has no body, regardless of its fields.
  case head
  /// Any other method.
  case other
}

/// Parses the response to one request at a time from the byte stream of a connection (RFC 9112).
///
/// Interim responses (1xx) are skipped, except 101, which ends HTTP on the connection.
package struct HTTPResponseParser: Sendable {
  private enum State: Sendable {
    case head(HeadReader)
    case body(HTTPResponse, HTTPBodyReader)
    case failed(HTTPError)
  }

  private let limits: HTTPLimits
  private let kind: HTTPRequestKind
  private var state = State.head(HeadReader())

  /// Makes a parser for responses to one kind of request.
  package init(limits: HTTPLimits = HTTPLimits(), answering kind: HTTPRequestKind = .other) {
    self.limits = limits
    self.kind = kind
  }

  /// Consumes bytes up to the end of a response.
  ///
  /// - Returns: The number of bytes consumed, and the response if it is complete. The bytes after it are
  ///   not consumed; `nil` means that all bytes were consumed and more are needed.
  /// - Throws: ``HTTPError``, in this and every later call; its status is the one that a gateway would
  ///   send to its own client.
  package mutating func receive(
    _ input: Span<UInt8>
  ) throws(HTTPError) -> (consumed: Int, response: HTTPResponse?) {
    var offset = 0
    do {
      let response = try next(from: input, at: &offset)
      return (offset, response)
    } catch {
      state = .failed(error)
      throw error
    }
  }

  /// Ends the input, which completes a body without a declared length.
  ///
  /// - Returns: The completed response, or `nil` when none was in progress.
  /// - Throws: ``HTTPError`` (502) when a response was truncated.
  package mutating func receiveEnd() throws(HTTPError) -> HTTPResponse? {
    switch state {
    case .head(let reader) where reader.isEmpty:
      return nil
    case .body(let response, let reader) where reader.endsWithConnection:
      return finish(response, reader)
    case .head, .body:
      let error = HTTPError(.badGateway, "The connection ended within a response.")
      state = .failed(error)
      throw error
    case .failed(let error):
      throw error
    }
  }

  /// The head of the response whose body is being received; its body is empty.
  package var head: HTTPResponse? {
    if case .body(let response, _) = state { response } else { nil }
  }

  /// Returns the bytes of the body received since the last piece; the complete response has only the
  /// bytes after it.
  package mutating func takePiece() -> [UInt8] {
    guard case .body(let response, var reader) = state else { return [] }
    state = .head(HeadReader())
    let piece = reader.takePiece()
    state = .body(response, reader)
    return piece
  }

  private mutating func next(
    from input: Span<UInt8>, at offset: inout Int
  ) throws(HTTPError) -> HTTPResponse? {
    while true {
      switch state {
      case .head(var reader):
        state = .head(HeadReader())
        guard let lines = try reader.next(from: input, at: &offset, limits: limits) else {
          state = .head(reader)
          return nil
        }
        try begin(lines)
      case .body(let response, var reader):
        state = .head(HeadReader())
        try reader.receive(input, at: &offset, limits: limits)
        guard reader.isComplete else {
          state = .body(response, reader)
          return nil
        }
        return finish(response, reader)
      case .failed(let error):
        throw error
      }
    }
  }

  /// Continues with the body, or with the next head after an interim response.
  private mutating func begin(_ lines: HeadReader.Head) throws(HTTPError) {
    let response = try Self.response(lines)
    let isInterim = response.status.code < 200 && response.status != .switchingProtocols
    if isInterim { return }
    if kind == .head || response.status.forbidsBody {
      state = .body(response, try HTTPBodyReader(.length(0), limits: limits))
    } else {
      let framing = try BodyFraming(response: response.fields, version: response.version)
      state = .body(response, try HTTPBodyReader(framing, limits: limits))
    }
  }

  private mutating func finish(_ head: HTTPResponse, _ reader: HTTPBodyReader) -> HTTPResponse {
    state = .head(HeadReader())
    var response = head
    response.body = reader.body
    return response
  }

  /// Parses a status line (RFC 9112 §4): version, three digits, and a text that is ignored.
  private static func response(_ lines: HeadReader.Head) throws(HTTPError) -> HTTPResponse {
    let parts = lines.startLine.split(
      separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[1].count == 3,
      parts[1].allSatisfy({ (0x30...0x39).contains($0) }),
      let code = UInt16(String(decoding: parts[1], as: UTF8.self)), code >= 100
    else { throw .badRequest("The status line is not a version and a status code.") }
    var response = HTTPResponse(status: HTTPStatus(code), fields: lines.fields)
    response.version = try RequestLine.parseVersion(parts[0])
    return response
  }
}
