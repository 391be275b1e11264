internal import ClientTransport
internal import HTTP
internal import ParleyProtocol

/// The opening handshake as bytes to send and bytes received (RFC 6455 §4.1).
struct UpgradeExchange {
  /// The bytes to send.
  let request: [UInt8]
  private let handshake: ClientHandshake
  private var parser = HTTPResponseParser(limits: HTTPLimits(bodyBytes: 65_536))

  /// - Parameter nonce: 16 random bytes.
  init(_ plan: ConnectionPlan, nonce: [UInt8]) {
    handshake = ClientHandshake(
      target: plan.server.target, host: plan.server.hostField, nonce: nonce,
      subprotocols: [ConnectionPlan.subprotocol],
      compression: plan.compression == .offered ? PermessageDeflate.Offer() : nil,
      fields: plan.httpFields)
    var bytes: [UInt8] = []
    handshake.request.serialize(into: &bytes)
    request = bytes
  }

  /// Parses bytes up to the end of the server's response.
  ///
  /// - Returns: The agreed parameters and the number of bytes consumed; `nil` if more are needed.
  mutating func receive(
    _ input: Span<UInt8>
  ) throws(ConnectionFailure) -> (ClientHandshake.Acceptance, consumed: Int)? {
    let consumed: Int
    let response: HTTPResponse?
    do throws(HTTPError) {
      (consumed, response) = try parser.receive(input)
    } catch {
      throw ConnectionFailure(
        .lasting, "the server's answer is no HTTP: \(error.message)", handshake: .refused)
    }
    guard let response else { return nil }
    do throws(HandshakeError) {
      return (try handshake.verify(response), consumed)
    } catch {
      throw Self.failure(error, response)
    }
  }

  /// Handles a connection that ended before the response, which may be how a rejection ends.
  mutating func receiveEnd(because reason: String) -> ConnectionFailure {
    guard let response = try? parser.receiveEnd() else {
      return ConnectionFailure(
        .temporary, "within the opening handshake: \(reason)", handshake: .refused)
    }
    return Self.failure(.refused(response.status), response)
  }

  private static func failure(
    _ error: HandshakeError, _ response: HTTPResponse
  ) -> ConnectionFailure {
    guard case .refused(let status) = error else {
      return ConnectionFailure(
        .lasting, "the server opened no WebSocket: \(error)", handshake: .refused)
    }
    return ConnectionFailure(
      refusedWith: Int(status.code), retryAfter: response.retryAfter,
      "the server answered \(status)" + explanation(response))
  }

  /// Returns the message in the body of a rejection, if it has the platform's format.
  private static func explanation(_ response: HTTPResponse) -> String {
    guard let message = try? JSONDocument(response.body).root["message"]?.string else { return "" }
    return ": " + message.prefix(200)
  }
}

extension ConnectionPlan {
  /// The additional header fields for the opening handshake.
  fileprivate var httpFields: HTTPFields {
    var fields = HTTPFields()
    for field in self.fields { fields.append(field.name, field.value) }
    return fields
  }
}
