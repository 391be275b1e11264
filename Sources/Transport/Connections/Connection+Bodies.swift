import HTTP1
import Reactor

/// Bodies that are taken in pieces.
extension Connection {
  /// Asks the delegate how to receive the body of a request, and continues accordingly.
  func begin(_ head: HTTPRequestHead) throws(HTTPError) {
    guard case .http(var parser) = stage else { return }
    let exchange = exchange(HTTPRequest(head: head))
    switch transport.delegate?.decideOnBody(of: exchange) {
    case .whole:
      sendContinue(after: try parser.takeBody(.whole))
      stage = .http(parser)
    case .pieces(let limit, let receiver):
      trace(head)
      do throws(HTTPError) {
        sendContinue(after: try parser.takeBody(.pieces(limit: limit)))
      } catch {
        receiver.bodyWasAbandoned()
        throw error
      }
      stage = .receiving(
        ReceivedBody(
          exchange: exchange.number, head: head, parser: parser, receiver: receiver))
      awaitBody()
    case .refused(let response): respond(response, to: nil)
    case nil: end()
    }
  }

  /// Reads on, after a receiver has said that it will take more later.
  func resumeBody() {
    guard case .receiving = stage, isReadingPaused else { return }
    // The pause was not the peer's.
    lastReceived = transport.loop.now
    resumeReading()
  }

  /// - Returns: How many bytes led to something; `nil` when all were taken and more are needed.
  func receiveBody(_ input: UnsafeRawBufferPointer, _ body: inout ReceivedBody) -> Int? {
    // The stage must not hold a second copy while the parser works.
    stage = .lingering
    do {
      let (consumed, event) = try body.parser.receive(
        input.assumingMemoryBound(to: UInt8.self).span)
      stage = .receiving(body)
      switch event {
      case .piece(let piece): hand(piece, to: body.receiver)
      case .bodyEnd:
        stage = .http(body.parser)
        resumeReading()
        let request = HTTPRequest(head: body.head)
        let exchange = Exchange(connection: self, request: request, number: body.exchange)
        carryOut(body.receiver.connectionDidReceiveBody(self), of: exchange)
      case nil, .head, .request, .expectsContinue: return nil
      }
      return consumed
    } catch {
      stage = .receiving(body)
      refuse(error)
      return nil
    }
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
    stage = .http(body.parser)
    resumeReading()
    respond(response, to: nil)
  }

  private func sendContinue(after event: HTTPRequestEvent?) {
    if event == .expectsContinue { append(HTTPResponse.continueBytes) }
  }
}
