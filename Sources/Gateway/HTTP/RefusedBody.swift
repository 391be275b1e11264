import HTTP1
import Transport

/// Passes over the body of a request that its head was refused for, so that the connection can serve
/// another one.
final class RefusedBody: HTTPBodyReceiver {
  /// A longer body is not waited for: the answer ends the connection.
  static let maximumBytes = 65_536

  private let response: HTTPResponse

  init(_ response: HTTPResponse) {
    self.response = response
  }

  /// Whether a body's length is declared and small.
  static func isSmall(_ head: HTTPRequestHead) -> Bool {
    let lengths = head.fields.values(of: "Content-Length")
    guard let length = lengths.first.flatMap({ Int($0) }), lengths.count == 1 else { return false }
    return length <= maximumBytes
  }

  func connection(_ connection: Connection, receivedBody piece: [UInt8]) -> BodyDemand { .more }

  func connectionDidReceiveBody(_ connection: Connection) -> RequestOutcome { .respond(response) }

  func bodyWasAbandoned() {}
}

extension BodyDecision {
  /// Refuses a request: behind its body when that is small and on its way, else at once.
  static func refusing(_ head: HTTPRequestHead, _ response: HTTPResponse) -> BodyDecision {
    guard RefusedBody.isSmall(head), !head.fields.contains("Expect") else {
      return .refused(response)
    }
    return .pieces(limit: RefusedBody.maximumBytes, RefusedBody(response))
  }
}
