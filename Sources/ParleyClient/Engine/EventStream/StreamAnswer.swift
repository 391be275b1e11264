internal import ClientTransport
internal import ParleyProtocol

/// The server's answer to a message that was posted to a stream.
enum StreamAnswer: Sendable {
  /// The stream was opened, with the reply to `session.open`.
  case opened(path: String, reply: [UInt8])
  /// The message was passed to the session.
  case accepted
  /// The message was refused; `nil` if it expects no reply.
  case refused(reply: [UInt8]?)
  /// The same message may be posted again after this number of milliseconds.
  case wait(Int64)
  /// The stream has ended.
  case gone
  /// The server has no streams.
  case missing
  /// The answer is not one of a gateway's streams.
  case failed(ConnectionFailure)

  static let rootPath = "/v1/streams"
  private static let longestWait: Int64 = 60_000

  /// Reads the answer to the message that opens a stream.
  ///
  /// - Parameter limit: The largest answer in bytes.
  init(_ response: ClientResponse, opening message: [UInt8], limit: Int) {
    guard response.status == 201 else {
      self = response.status == 404 ? .missing : Self.refusal(response, of: message)
      return
    }
    let limits = JSONLimits(byteCount: limit, depth: 64, nodeCount: 400_000)
    guard let root = try? JSONDocument(response.body, limits: limits).root,
      let path = root["stream"]?.string, Self.isPath(path), let result = root["result"],
      let id = Self.id(of: message)
    else {
      let words = "the server's answer opens no stream"
      self = .failed(ConnectionFailure(.protocolViolation, words))
      return
    }
    self = .opened(path: path, reply: RPCReply.result(Array(result.raw), to: id))
  }

  /// Reads the answer to a later message.
  init(_ response: ClientResponse, to message: [UInt8]) {
    switch response.status {
    case 202: self = .accepted
    case 404, 410: self = .gone
    case 429:
      let wait = Self.error(response)?.retryAfter ?? response.retryAfter ?? 1000
      self = .wait(min(max(1, wait), Self.longestWait))
    default: self = Self.refusal(response, of: message)
    }
  }

  private static func refusal(_ response: ClientResponse, of message: [UInt8]) -> StreamAnswer {
    let id = id(of: message)
    if let error = error(response)?.error {
      return .refused(reply: id.map { RPCReply.error(error, to: $0) })
    }
    if response.status == 413 {
      let error = ServiceError(.tooLong, "a proxy refuses messages of \(message.count) bytes")
      return .refused(reply: id.map { RPCReply.error(error, to: $0) })
    }
    return .failed(
      ConnectionFailure(
        refusedWith: response.status, retryAfter: response.retryAfter,
        "the server answered \(response.status) to a posted message"))
  }

  /// The error in a body with the form of the Platform API; `nil` if it is another server's.
  private static func error(
    _ response: ClientResponse
  ) -> (error: ServiceError, retryAfter: Int64?)? {
    guard let root = try? JSONDocument(response.body).root, root["error"]?.bool == true,
      var error = ServiceError(json: root)
    else { return nil }
    // The details that `error.data` has on a socket.
    if error.data.application == nil { error.data = ErrorDetails(json: root) }
    return (error, error.data.retryAfterMilliseconds)
  }

  private static func id(of message: [UInt8]) -> RPCIdentifier? {
    guard case .single(.request(let request)) = RPCInput(message) else { return nil }
    return request.id
  }

  /// Whether a text is the path of a stream, so that it can become part of a URL.
  private static func isPath(_ text: String) -> Bool {
    let prefix = rootPath + "/"
    guard text.hasPrefix(prefix), text.utf8.count <= 1024 else { return false }
    return text.utf8.dropFirst(prefix.utf8.count).allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }
}
