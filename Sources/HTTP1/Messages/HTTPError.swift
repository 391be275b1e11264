/// A fault of the peer in HTTP, and the status that a server answers it with.
///
/// The stream has lost its framing: answer, and close the connection.
package struct HTTPError: Error, Sendable, Hashable {
  /// The status to answer with, 4xx or 5xx.
  package let status: HTTPStatus
  /// A sentence for the reader of the response.
  package let message: String

  /// Makes an error from its status and a sentence.
  package init(_ status: HTTPStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  static func badRequest(_ message: String) -> HTTPError { HTTPError(.badRequest, message) }
}

extension HTTPError: CustomStringConvertible {
  package var description: String { "\(status): \(message)" }
}
