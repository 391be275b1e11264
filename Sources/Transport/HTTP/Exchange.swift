package import HTTP1
package import Reactor

/// A request and the means to answer it.
///
/// A later answer is addressed to the exchange's ``ID``, not to the connection: it
/// reaches this request, once, or none. The exchange itself is confined to the transport's event
/// loop; its id may travel.
package struct Exchange {
  /// The address for the answer to one request.
  package struct ID: Hashable, Sendable {
    package let connection: ConnectionID
    /// Counts the requests of a transport.
    package let number: UInt64

    package init(connection: ConnectionID, number: UInt64) {
      self.connection = connection
      self.number = number
    }
  }

  /// The connection that brought the request, with its knowledge of the client.
  package let connection: Connection
  package let request: HTTPRequest
  let number: UInt64

  package var id: ID { ID(connection: connection.id, number: number) }
  package var head: HTTPRequestHead { request.head }
}

/// The answers that come after ``RequestOutcome/respondLater(onAbandonment:)``, and the flow of
/// bodies that are taken in pieces.
///
/// Each does nothing when the exchange is over: answered, or its connection gone.
extension Transport {
  /// Whether an answer can still reach the client.
  package func isAwaited(_ id: Exchange.ID) -> Bool { connection(awaiting: id) != nil }

  /// Sends the answer, which in the middle of a body that is taken in pieces ends the connection.
  package func respond(_ response: HTTPResponse, to id: Exchange.ID) {
    connection(awaiting: id)?.respond(response)
  }

  /// Sends the answer with a file as its body; `Content-Length` is the file's.
  package func respond(_ head: HTTPResponse, with file: FileSpan, to id: Exchange.ID) {
    connection(awaiting: id)?.respond(head, with: .file(file))
  }

  /// Sends the answer with a body of `count` bytes, which comes in pieces.
  ///
  /// The connection holds the source until it has its last piece or is abandoned.
  package func respond(
    _ head: HTTPResponse, with source: any HTTPBodySource, count: Int64, to id: Exchange.ID
  ) {
    let content = OutgoingBody.Content.pieces(PiecedBody(count: count, source: source))
    guard let connection = connection(awaiting: id) else { return content.abandon() }
    connection.respond(head, with: content)
  }

  /// Sends the piece for which ``HTTPBodySource/nextPiece()`` has asked: some bytes, and no more than
  /// are left.
  package func continueBody(of id: Exchange.ID, with piece: [UInt8]) {
    connections[id.connection]?.continueBody(piece, of: id.number)
  }

  /// Ends a connection to which the rest of a body cannot be sent.
  package func breakBody(of id: Exchange.ID) {
    connections[id.connection]?.breakBody(of: id.number)
  }

  /// Reads on, after the receiver of a body has returned ``BodyDemand/later``.
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
  /// The number of the exchange under way; `nil` when no answer is owed.
  fileprivate var exchangeNumber: UInt64? {
    switch stage {
    case .receiving(let body): body.exchange
    case .answering(let pending): pending.exchange
    case .proxyHeader, .http, .sending, .webSocket, .departing, .closing, .lingering, .closed: nil
    }
  }

  /// Begins an exchange for a request.
  func exchange(_ request: HTTPRequest) -> Exchange {
    transport.exchangeCount += 1
    return Exchange(connection: self, request: request, number: transport.exchangeCount)
  }
}

/// Reads and discards the body of a request that is refused for its head or takes none, so that the
/// connection can serve another one.
package final class RefusedBody: HTTPBodyReceiver {
  /// A longer body is not waited for: the answer ends the connection.
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
  /// Refuses a request: after its body when that is small and on its way, else at once.
  package static func refusing(_ head: HTTPRequestHead, _ response: HTTPResponse) -> BodyDecision {
    guard RefusedBody.isSmall(head), !head.fields.contains("Expect") else {
      return .refused(response)
    }
    return .pieces(limit: RefusedBody.maximumBytes, RefusedBody { .respond(response) })
  }

  /// Passes over the body of a request that takes none, if it is small or of an unknown length, as
  /// proxies send also empty ones.
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
