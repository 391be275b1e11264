import Glibc
import HTTP
import Reactor
import Transport

/// Accepts every WebSocket handshake, and echoes every message.
final class EchoService: TransportDelegate, WebSocketApplication {
  private let handshake = ServerHandshake(compression: PermessageDeflate.Policy(contexts: .kept))

  func answer(_ exchange: Exchange) -> RequestOutcome {
    do {
      return .upgrade(try handshake.accept(exchange.head), self)
    } catch {
      return .respond(error.response)
    }
  }

  func connection(_ connection: Connection, received message: WebSocketMessage) {
    connection.send(message)
  }

  func connectionDidClose(_ connection: Connection, _ reason: ClosingReason) {}

  func transportCannotAccept(_ error: SystemError) {
    print("cannot accept: \(error)")
  }

  func connection(_ connection: Connection, brokeTLS reason: String) {}
}

func flushStandardOutput() {
  fflush(nil)
}
