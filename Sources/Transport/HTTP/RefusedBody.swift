package import HTTP1

/// Reads and discards the body of a request that is refused for its head, so that the connection can
/// serve another one.
package final class RefusedBody: HTTPBodyReceiver {
  /// A longer body is not waited for: the answer ends the connection.
  package static let maximumBytes = 65_536

  private let response: HTTPResponse

  init(_ response: HTTPResponse) {
    self.response = response
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
    .respond(response)
  }

  package func bodyWasAbandoned() {}
}

extension BodyDecision {
  /// Refuses a request: after its body when that is small and on its way, else at once.
  package static func refusing(_ head: HTTPRequestHead, _ response: HTTPResponse) -> BodyDecision {
    guard RefusedBody.isSmall(head), !head.fields.contains("Expect") else {
      return .refused(response)
    }
    return .pieces(limit: RefusedBody.maximumBytes, RefusedBody(response))
  }
}
