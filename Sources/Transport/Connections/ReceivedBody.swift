package import HTTP1

/// Takes the body of one request as it comes.
///
/// Called on the transport's event loop only; in place of its pieces being answered one by one, the
/// connection may be answered at any time with ``Transport/respond(_:to:)``, which ends the body.
package protocol HTTPBodyReceiver: AnyObject {
  /// Takes the next bytes; never none.
  ///
  /// - Returns: Whether more may come. `.later` stops the reading until
  ///   ``Transport/resumeBody(of:)``; what was read already may still come.
  func connection(_ connection: Connection, receivedBody piece: [UInt8]) -> BodyDemand

  /// All has come: what becomes of the request.
  func connectionDidReceiveBody(_ connection: Connection) -> RequestOutcome

  /// Ends a body that will not be completed, and whose request needs no answer: the peer is gone,
  /// broke the protocol or was too slow. Called at most once, and not after the end of the body.
  func bodyWasAbandoned()
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
}
