import HTTP1

/// A request whose answer comes later, with what is needed to go on from there.
struct PendingRequest {
  /// The bytes after the request that are kept; then the peer is read no further.
  static let maximumHeldBytes = 65_536

  /// The number of its exchange.
  let exchange: UInt64
  let request: HTTPRequest
  let parser: HTTPRequestParser
  /// The bytes that came after the request.
  var held: [UInt8] = []
  /// Calls the work off; `nil` when it is done anyway.
  let onAbandonment: (() -> Void)?

  /// Bytes in memory.
  var byteCount: Int { request.body.count + held.count }
}
