package import HTTP
package import Reactor

/// A request, and the means to answer it.
///
/// A later answer is addressed to the exchange's ``ID``, not to the connection, so it reaches this
/// request once or not at all. The exchange itself is confined to the transport's event loop; its ID may
/// be passed to other threads.
package struct Exchange {
  /// The address for the answer to one request.
  package struct ID: Hashable, Sendable {
    package let connection: ConnectionID
    /// The sequence number of the request within its transport.
    package let number: UInt64

    package init(connection: ConnectionID, number: UInt64) {
      self.connection = connection
      self.number = number
    }
  }

  /// The connection that received the request, with the client information known so far.
  package let connection: Connection
  package let request: HTTPRequest
  let number: UInt64

  package var id: ID { ID(connection: connection.id, number: number) }
  package var head: HTTPRequestHead { request.head }
}

/// Answers requests after ``RequestOutcome/respondLater(onAbandonment:)``, and controls the flow of
/// bodies in pieces.
///
/// Each function does nothing when the exchange has ended: answered, or its connection closed.
extension Transport {
  /// Whether an answer can still reach the client.
  package func isAwaited(_ id: Exchange.ID) -> Bool { connection(awaiting: id) != nil }

  /// Sends the answer.
  ///
  /// While a body is being received in pieces, that ends the connection.
  package func respond(_ response: HTTPResponse, to id: Exchange.ID) {
    connection(awaiting: id)?.respond(response)
  }

  /// Sends the answer with a file as its body; `Content-Length` is the size of the file.
  package func respond(_ head: HTTPResponse, with file: FileSpan, to id: Exchange.ID) {
    connection(awaiting: id)?.respond(head, with: .file(file))
  }

  /// Sends the answer with a body of `count` bytes that arrives in pieces.
  ///
  /// The connection holds the source until its last piece or until the body is abandoned.
  package func respond(
    _ head: HTTPResponse, with source: any HTTPBodySource, count: Int64, to id: Exchange.ID
  ) {
    let content = OutgoingBody.Content.pieces(PiecedBody(count: count, source: source))
    guard let connection = connection(awaiting: id) else { return content.abandon() }
    connection.respond(head, with: content)
  }

  /// Sends the piece that ``HTTPBodySource/nextPiece()`` requested: at least one byte, and no more than
  /// are left.
  package func continueBody(of id: Exchange.ID, with piece: [UInt8]) {
    connections[id.connection]?.continueBody(piece, of: id.number)
  }

  /// Ends a connection for which the rest of a body is not available.
  package func breakBody(of id: Exchange.ID) {
    connections[id.connection]?.breakBody(of: id.number)
  }

  /// Resumes reading after the receiver of a body has returned ``BodyDemand/later``.
  package func resumeBody(of id: Exchange.ID) {
    connection(awaiting: id)?.resumeBody()
  }

  /// Finds the connection on which a request is still unanswered.
  package func connection(awaiting id: Exchange.ID) -> Connection? {
    guard let connection = connections[id.connection], connection.exchangeNumber == id.number
    else { return nil }
    return connection
  }
}

extension Connection {
  /// The number of the current exchange; `nil` when no answer is outstanding.
  fileprivate var exchangeNumber: UInt64? {
    switch stage {
    case .receiving(let body): body.exchange
    case .answering(let pending): pending.exchange
    case .proxyHeader, .http, .sending, .webSocket, .eventStream, .endedStream, .departing,
      .closing, .lingering, .closed:
      nil
    }
  }

  /// Begins an exchange for a request.
  func exchange(_ request: HTTPRequest) -> Exchange {
    transport.exchangeCount += 1
    return Exchange(connection: self, request: request, number: transport.exchangeCount)
  }
}

/// Reads and discards the body of a request that is refused because of its head, or that takes no body,
/// so that the connection can serve another request.
package final class RefusedBody: HTTPBodyReceiver {
  /// The server does not wait for a longer body: the answer ends the connection.
  package static let maximumBytes = 65_536

  private let answer: () -> RequestOutcome

  /// - Parameter answer: Answers the request after its body.
  init(_ answer: @escaping () -> RequestOutcome) {
    self.answer = answer
  }

  /// Whether a body's length is declared and small.
  package static func isSmall(_ head: HTTPRequestHead) -> Bool {
    let lengths = head.fields.values(of: "Content-Length")
    guard let length = lengths.first.flatMap({ Int($0) }), lengths.count == 1 else { return false }
    return length <= maximumBytes
  }

  package func connection(_ connection: Connection, receivedBody piece: [UInt8]) -> BodyDemand {
    .more
  }

  package func connectionDidReceiveBody(_ connection: Connection) -> RequestOutcome {
    answer()
  }

  package func bodyWasAbandoned() {}
}

extension BodyDecision {
  /// Refuses a request: after its body when that is small and being sent, otherwise immediately.
  package static func refusing(_ head: HTTPRequestHead, _ response: HTTPResponse) -> BodyDecision {
    guard RefusedBody.isSmall(head), !head.fields.contains("Expect") else {
      return .refused(response)
    }
    return .pieces(limit: RefusedBody.maximumBytes, RefusedBody { .respond(response) })
  }

  /// Discards the body of a request that takes none, if it is small or of unknown length: proxies send
  /// even empty bodies without a length.
  ///
  /// - Parameters:
  ///   - answer: Answers the request after its body.
  ///   - refusal: The answer to a larger body.
  package static func passingOver(
    _ head: HTTPRequestHead, then answer: @escaping () -> RequestOutcome, or refusal: HTTPResponse
  ) -> BodyDecision {
    guard RefusedBody.isSmall(head) || head.fields.contains("Transfer-Encoding") else {
      return .refused(refusal)
    }
    return .pieces(limit: RefusedBody.maximumBytes, RefusedBody(answer))
  }
}
