/// A part of a response, in the order of arrival: a head, pieces of the body, and one end.
package enum ResponsePart: Sendable, Hashable {
  /// The status and the header fields; the body is empty.
  case head(ClientResponse)
  /// Bytes of the body, without transfer coding.
  case body([UInt8])
  /// The end of a complete response.
  case end
  /// The end before a complete response.
  case failed(ConnectionFailure)
}

/// Joins the parts of a response.
package struct WholeResponse: Sendable {
  /// The largest body in bytes; the server's are a few hundred bytes.
  private static let bodyLimit = 1_048_576

  private var response: ClientResponse?

  package init() {}

  /// Adds a part.
  ///
  /// - Returns: The outcome, once; further parts are of no use.
  package mutating func take(
    _ part: ResponsePart
  ) -> Result<ClientResponse, ConnectionFailure>? {
    switch part {
    case .head(let head):
      response = head
      return nil
    case .body(let piece):
      response?.body += piece
      guard response?.body.count ?? 0 > Self.bodyLimit else { return nil }
      let words = "the server's answer is larger than \(Self.bodyLimit) bytes"
      return .failure(ConnectionFailure(.lasting, words))
    case .end:
      guard let response else {
        return .failure(ConnectionFailure(.lasting, "the server's answer is no HTTP"))
      }
      return .success(response)
    case .failed(let failure): return .failure(failure)
    }
  }
}
