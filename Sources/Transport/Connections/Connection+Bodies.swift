package import HTTP1
import Reactor

/// Bodies that are received in pieces.
extension Connection {
  /// Asks the delegate how to receive the body of a request, and continues accordingly.
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

  /// Takes a body in pieces.
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

  /// Reads on, for a receiver that has paused the body.
  func resumeBody() {
    guard case .receiving(var body) = stage, isReadingPaused else { return }
    if body.wait == .forLeave {
      enter(.lingering)
      body.wait = .none
      enter(.receiving(body))
      append(HTTPResponse.continueBytes)
    }
    // The pause was not the peer's.
    noteInput()
    resumeReading()
  }

  /// Handles input while a body is received in pieces.
  ///
  /// - Returns: The number of bytes consumed; `nil` when all were taken and more are needed.
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

  /// Refuses a request whose body breaks off: at once, or when its receiver has kept what came.
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

  /// Answers a request before its body has come whole, and closes.
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
/// Called on the transport's event loop only; in place of its pieces being answered one by one, the
/// connection may be answered at any time with ``Transport/respond(_:to:)``, which ends the body.
package protocol HTTPBodyReceiver: AnyObject {
  /// Takes the next bytes; never none.
  ///
  /// - Returns: Whether more may come. `.later` stops the reading until
  ///   ``Transport/resumeBody(of:)``; bytes that were read already may still come.
  func connection(_ connection: Connection, receivedBody piece: [UInt8]) -> BodyDemand

  /// The body is complete: decides on the request.
  func connectionDidReceiveBody(_ connection: Connection) -> RequestOutcome

  /// The rest of the body does not come, or cannot be read.
  ///
  /// - Parameter refusal: The answer to the request.
  /// - Returns: Whether the receiver answers with it, soon: when what came is kept. Otherwise the request is
  ///   answered at once, and the body abandoned.
  func connection(_ connection: Connection, bodyBrokeOff refusal: HTTPResponse) -> Bool

  /// Ends a body that will not be completed, and whose request needs no answer: the peer is gone,
  /// broke the protocol or was too slow. Called at most once, and not after the end of the body.
  func bodyWasAbandoned()
}

extension HTTPBodyReceiver {
  /// `false`: only receivers that keep a part of a body need it.
  package func connection(_ connection: Connection, bodyBrokeOff refusal: HTTPResponse) -> Bool {
    false
  }
}

/// Whether a receiver takes more of a body.
package enum BodyDemand: Sendable {
  case more
  case later
  /// The request is refused: the answer is sent at once and the connection closed.
  case refused(HTTPResponse)
}

/// The way in which a request's body is received, decided from its head.
package enum BodyDecision {
  /// With the request, within ``HTTPLimits/bodyBytes``.
  case whole
  /// By the receiver as it comes, at most `limit` bytes in all.
  case pieces(limit: Int, any HTTPBodyReceiver)
  /// The same, but nothing is read until ``Transport/resumeBody(of:)``, before which a client that waits
  /// for leave to send is not given it; bytes that were read already may come.
  case pausedPieces(limit: Int, any HTTPBodyReceiver)
  /// The body is not received: the answer is sent at once and the connection closed.
  case refused(HTTPResponse)
}

/// A request whose body is on its way to its receiver.
struct ReceivedBody {
  /// The number of its exchange.
  let exchange: UInt64
  let head: HTTPRequestHead
  var parser: HTTPRequestParser
  let receiver: any HTTPBodyReceiver
  var wait = Wait.none

  /// A reason for which nothing is read.
  ///
  /// One byte for all: each connection has room for it.
  enum Wait {
    case none
    /// The client waits for leave to send.
    case forLeave
    /// The bytes that are there are read at the end of a turn.
    case forTurn
  }
}

/// A request whose answer comes later, with the state to continue from there.
struct PendingRequest {
  /// The bytes after the request that are kept; then the peer is read no further.
  static let maximumHeldBytes = 65_536

  /// The number of its exchange.
  let exchange: UInt64
  let request: HTTPRequest
  let parser: HTTPRequestParser
  /// The bytes that came after the request.
  var held: [UInt8] = []
  /// Cancels the work; `nil` when it cannot be cancelled.
  let onAbandonment: (() -> Void)?

  /// Bytes in memory.
  var byteCount: Int { request.body.count + held.count }
}
