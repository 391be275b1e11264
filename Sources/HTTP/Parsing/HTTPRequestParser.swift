/// An event of a request parser.
package enum HTTPRequestEvent: Sendable, Hashable {
  /// The head of a request with a body, if the policy is `chosenByHead`. Choose with
  /// ``HTTPRequestParser/takeBody(_:)`` before passing the next bytes, or answer and close.
  case head(HTTPRequestHead)
  /// The client waits for ``HTTPResponse/continueBytes`` before it sends its body. Send them, or
  /// answer with a final response and close.
  case expectsContinue
  /// A complete request.
  case request(HTTPRequest)
  /// The next bytes of a body that is received in pieces; never empty.
  case piece([UInt8])
  /// The end of a body that was received in pieces.
  case bodyEnd
}

/// Whether bodies are collected, or received as chosen for each request.
package enum HTTPBodyPolicy: Sendable {
  /// Every body is part of its ``HTTPRequestEvent/request(_:)``.
  case whole
  /// A request with a body begins with ``HTTPRequestEvent/head(_:)``.
  case chosenByHead
}

/// The way in which the body of a request is received.
package enum HTTPBodyIntake: Sendable, Hashable {
  /// In one piece, within ``HTTPLimits/bodyBytes``.
  case whole
  /// As it arrives; at most `limit` bytes in total, above that: 413.
  case pieces(limit: Int)
}

/// Parses requests from the byte stream of a connection (RFC 9112).
///
/// The parser refuses input wherever the RFC allows either lenience or refusal: requests are smuggled by
/// means of input that two parsers read differently (§11.2).
package struct HTTPRequestParser: Sendable {
  private enum State: Sendable {
    case head(HeadReader)
    /// The caller has not chosen how to receive the body.
    case undecided(HTTPRequestHead, BodyFraming)
    case body(HTTPRequestHead, HTTPBodyReader)
    case pieces(HTTPBodyReader, HTTPLimits)
    case failed(HTTPError)
  }

  private let limits: HTTPLimits
  private let bodies: HTTPBodyPolicy
  private var state = State.head(HeadReader())

  /// Makes a parser at the start of a connection.
  package init(limits: HTTPLimits = HTTPLimits(), bodies: HTTPBodyPolicy = .whole) {
    self.limits = limits
    self.bodies = bodies
  }

  /// Whether no part of a request was received since the last one, so that the connection may be closed
  /// without interrupting a request.
  package var isIdle: Bool {
    if case .head(let reader) = state { reader.isEmpty } else { false }
  }

  /// The number of bytes of a body that are collected.
  package var bodyByteCount: Int {
    switch state {
    case .body(_, let reader), .pieces(let reader, _): reader.body.count
    case .head, .undecided, .failed: 0
    }
  }

  /// Consumes bytes up to the next event.
  ///
  /// - Parameter input: Bytes received and not yet consumed, split anywhere.
  /// - Returns: The number of bytes consumed, and the resulting event. After an event, call again with
  ///   the rest, even if it is empty; `nil` means that all bytes were consumed and more are needed. The
  ///   bytes after a request are not consumed: they belong to the next request, or to the protocol that
  ///   the connection was upgraded to.
  /// - Throws: ``HTTPError``, in this and every later call: answer with its status and close.
  package mutating func receive(
    _ input: Span<UInt8>
  ) throws(HTTPError) -> (consumed: Int, event: HTTPRequestEvent?) {
    var offset = 0
    do {
      let event = try next(from: input, at: &offset)
      return (offset, event)
    } catch {
      state = .failed(error)
      throw error
    }
  }

  /// Chooses how to receive the body whose head was just returned; by default it is collected.
  ///
  /// - Returns: ``HTTPRequestEvent/expectsContinue`` when the client waits for an interim response.
  /// - Throws: ``HTTPError`` with 413 when the declared length exceeds the limit, or with 417.
  package mutating func takeBody(
    _ intake: HTTPBodyIntake
  ) throws(HTTPError) -> HTTPRequestEvent? {
    guard case .undecided(let head, let framing) = state else { return nil }
    do {
      switch intake {
      case .whole: state = .body(head, try HTTPBodyReader(framing, limits: limits))
      case .pieces(let limit):
        var limits = limits
        limits.bodyBytes = limit
        state = .pieces(try HTTPBodyReader(framing, limits: limits), limits)
      }
      return try Self.expectsContinue(head) ? .expectsContinue : nil
    } catch {
      state = .failed(error)
      throw error
    }
  }

  private mutating func next(
    from input: Span<UInt8>, at offset: inout Int
  ) throws(HTTPError) -> HTTPRequestEvent? {
    switch state {
    case .head(var reader):
      state = .head(HeadReader())
      guard let lines = try reader.next(from: input, at: &offset, limits: limits) else {
        state = .head(reader)
        return nil
      }
      return try begin(lines, from: input, at: &offset)
    case .undecided(let head, let framing):
      return try begin(head, framing, from: input, at: &offset)
    case .body(let head, var reader):
      state = .head(HeadReader())
      try reader.receive(input, at: &offset, limits: limits)
      return finish(head, reader)
    case .pieces(var reader, let limits):
      state = .head(HeadReader())
      try reader.receive(input, at: &offset, limits: limits)
      return hand(&reader, limits)
    case .failed(let error):
      throw error
    }
  }

  private mutating func begin(
    _ lines: HeadReader.Head, from input: Span<UInt8>, at offset: inout Int
  ) throws(HTTPError) -> HTTPRequestEvent? {
    let head = try Self.head(lines)
    let framing = try BodyFraming(request: head.fields, version: head.version)
    if bodies == .chosenByHead, framing != .length(0) {
      state = .undecided(head, framing)
      return .head(head)
    }
    return try begin(head, framing, from: input, at: &offset)
  }

  private mutating func begin(
    _ head: HTTPRequestHead, _ framing: BodyFraming, from input: Span<UInt8>, at offset: inout Int
  ) throws(HTTPError) -> HTTPRequestEvent? {
    var reader = try HTTPBodyReader(framing, limits: limits)
    if try Self.expectsContinue(head), !reader.isComplete {
      state = .body(head, reader)
      return .expectsContinue
    }
    try reader.receive(input, at: &offset, limits: limits)
    return finish(head, reader)
  }

  private mutating func finish(
    _ head: HTTPRequestHead, _ reader: HTTPBodyReader
  ) -> HTTPRequestEvent? {
    guard reader.isComplete else {
      state = .body(head, reader)
      return nil
    }
    state = .head(HeadReader())
    return .request(HTTPRequest(head: head, body: reader.body))
  }

  /// Returns the next piece of a body, or its end when no piece is left.
  private mutating func hand(
    _ reader: inout HTTPBodyReader, _ limits: HTTPLimits
  ) -> HTTPRequestEvent? {
    let piece = reader.takePiece()
    if piece.isEmpty, reader.isComplete { return .bodyEnd }
    state = .pieces(reader, limits)
    return piece.isEmpty ? nil : .piece(piece)
  }

  private static func head(_ lines: HeadReader.Head) throws(HTTPError) -> HTTPRequestHead {
    let line = try RequestLine(lines.startLine)
    let hosts = lines.fields.values(of: "Host")
    guard hosts.count <= 1, line.version == .http10 || hosts.count == 1 else {
      throw .badRequest("There must be exactly one Host.")
    }
    guard hosts.allSatisfy({ HTTPAuthority($0) != nil }) else {
      throw .badRequest("The Host is not a host with or without a port.")
    }
    let head = HTTPRequestHead(
      method: line.method, target: line.target, version: line.version, fields: lines.fields)
    // A URL of these schemes without a host is not valid (RFC 9110 §4.2.1).
    guard head.targetAuthority.map({ HTTPAuthority($0)?.isEmpty == false }) ?? true else {
      throw .badRequest("The request target does not name a host with or without a port.")
    }
    return head
  }

  /// Whether the client waits for 100; HTTP/1.0 has no expectations (RFC 9110 §10.1.1).
  private static func expectsContinue(_ head: HTTPRequestHead) throws(HTTPError) -> Bool {
    let expectations = head.fields.listValues(of: "Expect")
    guard head.version == .http11, !expectations.isEmpty else { return false }
    guard expectations.allSatisfy({ HTTPSyntax.equalIgnoringCase($0, "100-continue") }) else {
      throw HTTPError(.expectationFailed, "The only supported expectation is 100-continue.")
    }
    return true
  }
}
