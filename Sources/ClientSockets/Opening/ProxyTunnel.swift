internal import ClientTransport
internal import HTTP

/// The request to a proxy for a connection to the server (RFC 9110 §9.3.6).
struct ProxyTunnel {
  /// The bytes to send.
  let request: [UInt8]
  private var parser = HTTPResponseParser(
    // Like the response to HEAD, the response to CONNECT has no body, whatever its fields specify.
    limits: HTTPLimits(), answering: .head)

  init(to server: ServerURL, through proxy: ProxyURL) {
    var head = HTTPRequestHead(method: "CONNECT", target: server.authority)
    head.fields.append("Host", server.authority)
    if let authorization = proxy.authorization {
      head.fields.append("Proxy-Authorization", authorization)
    }
    var bytes: [UInt8] = []
    head.serialize(into: &bytes)
    request = bytes
  }

  /// Parses bytes up to the end of the proxy's response.
  ///
  /// - Returns: The number of bytes consumed once the tunnel is open; `nil` if more are needed.
  mutating func receive(_ input: Span<UInt8>) throws(ConnectionFailure) -> Int? {
    let consumed: Int
    let response: HTTPResponse?
    do throws(HTTPError) {
      (consumed, response) = try parser.receive(input)
    } catch {
      throw ConnectionFailure(.lasting, "the proxy's answer is no HTTP: \(error.message)")
    }
    guard let response else { return nil }
    try Self.check(response)
    return consumed
  }

  private static func check(_ response: HTTPResponse) throws(ConnectionFailure) {
    let reason = "the proxy refused to connect: \(response.status)"
    switch response.status.code {
    case 200...299: return
    case 503: throw ConnectionFailure(.unavailable(retryAfter: response.retryAfter), reason)
    case 408, 429, 500...599: throw ConnectionFailure(.temporary, reason)
    default: throw ConnectionFailure(.lasting, reason)
    }
  }
}

extension HTTPResponse {
  /// The milliseconds that the server asks a client to wait; see ``ClientResponse/retryAfter``.
  var retryAfter: Int64? { fields["Retry-After"].flatMap(ClientResponse.retryAfter) }
}
