import HTTP1

/// A request whose answer comes later, with what is needed to go on from there.
struct PendingRequest {
  /// How much of what the peer sends behind the request is kept; then it is read no further.
  static let maximumHeldBytes = 65_536

  let request: HTTPRequest
  let parser: HTTPRequestParser
  /// What came behind the request.
  var held: [UInt8] = []
  /// Calls the work off; `nil` when it is done anyway.
  let onAbandonment: (() -> Void)?

  /// Bytes in memory.
  var byteCount: Int { request.body.count + held.count }
}
