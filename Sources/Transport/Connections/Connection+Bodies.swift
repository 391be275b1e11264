package import HTTP
import Reactor

/// Receives bodies in pieces.
extension Connection {
  /// Asks the delegate how to receive the body of a request, and proceeds accordingly.
  func begin(_ head: HTTPRequestHead) throws(HTTPError) {
    guard case .http(var parser) = stage else { return }
    let exchange = exchange(HTTPRequest(head: head))
    switch transport.delegate?.decideOnBody(of: exchange) {
    case .whole:
      sendContinue(after: try parser.takeBody(.whole))
      enter(.http(parser))
    case .pieces(let limit, let receiver):
      let event = try begin(exchange, &parser, receiver, limit: limit)
      sendContinue(after: event)
    case .pausedPieces(let limit, let receiver):
      let event = try begin(exchange, &parser, receiver, limit: limit)
      guard case .receiving(var body) = stage else { return }
      enter(.lingering)
      if event == .expectsContinue { body.wait = .forLeave }
      enter(.receiving(body))
      stopReading()
    case .refused(let response): respond(response, to: nil)
    case nil: end()
    }
  }

  /// Receives a body in pieces.
  private func begin(
    _ exchange: Exchange, _ parser: inout HTTPRequestParser, _ receiver: any HTTPBodyReceiver,
    limit: Int
  ) throws(HTTPError) -> HTTPRequestEvent? {
    trace(exchange.head)
    let event: HTTPRequestEvent?
    do throws(HTTPError) { event = try parser.takeBody(.pieces(limit: limit)) } catch {
      receiver.bodyWasAbandoned()
      throw error
    }
    let body = ReceivedBody(
      exchange: exchange.number, head: exchange.head, parser: parser, receiver: receiver)
    enter(.receiving(body))
    awaitBody()
    return event
  }

  /// Resumes reading for a receiver that has paused the body.
  func resumeBody() {
    guard case .receiving(var body) = stage, isReadingPaused else { return }
    if body.wait == .forLeave {
      enter(.lingering)
      body.wait = .none
      enter(.receiving(body))
      append(HTTPResponse.continueBytes)
    }
    // The server paused the body, not the peer.
    noteInput()
    resumeReading()
  }

  /// Handles input while a body is received in pieces.
  ///
  /// - Returns: The number of bytes consumed; `nil` when all were consumed and more are needed.
  func receiveBody(_ input: UnsafeRawBufferPointer, _ body: inout ReceivedBody) -> Int? {
    // The stage must not hold a second copy while the parser works.
    enter(.lingering)
    do {
      let (consumed, event) = try body.parser.receive(
        input.assumingMemoryBound(to: UInt8.self).span)
      enter(.receiving(body))
      switch event {
      case .piece(let piece): hand(piece, to: body.receiver)
      case .bodyEnd:
        enter(.http(body.parser))
        resumeReading()
        let request = HTTPRequest(head: body.head)
        let exchange = Exchange(connection: self, request: request, number: body.exchange)
        carryOut(body.receiver.connectionDidReceiveBody(self), of: exchange)
      case nil, .head, .request, .expectsContinue: return nil
      }
      return consumed
    } catch {
      enter(.receiving(body))
      refuseBrokenBody(error)
      return nil
    }
  }

  /// Refuses a request with an incomplete body: immediately, or after its receiver has stored the part.
  func refuseBrokenBody(_ error: HTTPError) {
    guard case .receiving(let body) = stage else { return refuse(error) }
    let response = refusal(of: error)
    guard body.receiver.connection(self, bodyBrokeOff: response) else {
      return respond(response, to: nil)
    }
    guard case .receiving = stage else { return }
    stopReading()
    let patience = transport.configuration.headTimeout
    setTimer(.body(end: transport.loop.now + patience), after: patience)
  }

  private func hand(_ piece: [UInt8], to receiver: any HTTPBodyReceiver) {
    switch receiver.connection(self, receivedBody: piece) {
    case .more: break
    case .later: stopReading()
    case .refused(let response):
      refuseBody(response)
      receiver.bodyWasAbandoned()
    }
  }

  /// Answers a request before its body is complete, and closes the connection.
  func refuseBody(_ response: HTTPResponse) {
    guard case .receiving(let body) = stage else { return }
    enter(.http(body.parser))
    resumeReading()
    respond(response, to: nil)
  }

  private func sendContinue(after event: HTTPRequestEvent?) {
    if event == .expectsContinue { append(HTTPResponse.continueBytes) }
  }
}

/// A receiver of a request's body in pieces.
///
/// Called only on the transport's event loop. Instead of returning a decision, the receiver may answer
/// at any time with ``Transport/respond(_:to:)``, which ends the body.
package protocol HTTPBodyReceiver: AnyObject {
  /// Receives the next bytes; never empty.
  ///
  /// - Returns: Whether the receiver accepts more. `.later` stops reading until
  ///   ``Transport/resumeBody(of:)``; bytes that were already read may still follow.
  func connection(_ connection: Connection, receivedBody piece: [UInt8]) -> BodyDemand

  /// Decides on the request after its body is complete.
  func connectionDidReceiveBody(_ connection: Connection) -> RequestOutcome

  /// Reports that the rest of the body is missing or unreadable.
  ///
  /// - Parameter refusal: The answer to the request.
  /// - Returns: Whether the receiver will send the answer itself, after it has stored the received part.
  ///   Otherwise the request is answered immediately and the body abandoned.
  func connection(_ connection: Connection, bodyBrokeOff refusal: HTTPResponse) -> Bool

  /// Ends a body that will not be completed and whose request needs no answer: the peer disconnected,
  /// violated the protocol or was too slow. Called at most once, and not after the end of the body.
  func bodyWasAbandoned()
}

extension HTTPBodyReceiver {
  /// Returns `false`: only receivers that keep a partial body need it.
  package func connection(_ connection: Connection, bodyBrokeOff refusal: HTTPResponse) -> Bool {
    false
  }
}

/// Whether a receiver accepts more of a body.
package enum BodyDemand: Sendable {
  case more
  case later
  /// The request is refused: the answer is sent immediately and the connection closed.
  case refused(HTTPResponse)
}

/// The way in which a request's body is received, decided from its head.
package enum BodyDecision {
  /// With the request, within ``HTTPLimits/bodyBytes``.
  case whole
  /// By the receiver as it arrives, at most `limit` bytes in total.
  case pieces(limit: Int, any HTTPBodyReceiver)
  /// Like `pieces`, but reading is paused until ``Transport/resumeBody(of:)``. Until then a client that
  /// waits for permission to send does not get it. Bytes that were already read may still arrive.
  case pausedPieces(limit: Int, any HTTPBodyReceiver)
  /// The body is not received: the answer is sent immediately and the connection closed.
  case refused(HTTPResponse)
}

/// A request whose body is being passed to its receiver.
struct ReceivedBody {
  /// The number of its exchange.
  let exchange: UInt64
  let head: HTTPRequestHead
  var parser: HTTPRequestParser
  let receiver: any HTTPBodyReceiver
  var wait = Wait.none

  /// The reason why nothing is read.
  ///
  /// One byte in total, because each connection stores it.
  enum Wait {
    case none
    /// The client waits for permission to send.
    case forLeave
    /// The available bytes are read at the end of a turn.
    case forTurn
  }
}

/// A request that is answered later, with the state to continue from there.
struct PendingRequest {
  /// The maximum number of bytes kept after the request; reading from the peer then stops.
  static let maximumHeldBytes = 65_536

  /// The number of its exchange.
  let exchange: UInt64
  let request: HTTPRequest
  /// The bytes received after the request.
  var held: [UInt8] = []
  /// Cancels the work; `nil` when it cannot be cancelled.
  let onAbandonment: (() -> Void)?

  /// Bytes in memory.
  var byteCount: Int { request.body.count + held.count }
}
