package import HTTP
package import TestSupport

/// A WebSocket connection as a client, whose every wait has an end.
package final class WebSocketClient {
  /// What the client offers.
  package enum Compression: Sendable {
    case none
    case offered
  }

  /// What came from the server.
  package enum Incoming: Equatable {
    case text([UInt8])
    /// The closing handshake, or the end of the connection without one (1006).
    case closed(UInt16)
  }

  /// The bytes' way, for those that want to break it.
  package let stream: any ByteStream
  /// What was agreed about compression.
  package let agreement: PermessageDeflate.Agreement?
  private var endpoint: WebSocketEndpoint
  private let workspace = DeflateWorkspace()
  private var output = WebSocketOutput()
  private var queue: [WebSocketEvent] = []
  private var end: UInt16?
  private var isSilent = false

  /// Performs the opening handshake.
  package init(
    over stream: any ByteStream, host: String, compression: Compression,
    _ deadline: Deadline = .standard
  ) throws {
    let handshake = ClientHandshake(
      target: "/v1/ws", host: host, nonce: (0..<16).map { _ in .random(in: 0...255) },
      subprotocols: ["parley.v1"], compression: compression == .offered ? .init() : nil)
    var request: [UInt8] = []
    handshake.request.serialize(into: &request)
    try stream.write(request, deadline)
    let (response, rest) = try Self.response(from: stream, deadline)
    let acceptance = try handshake.verify(response)
    self.stream = stream
    agreement = acceptance.compression
    endpoint = WebSocketEndpoint(
      role: .client(maskingKey: { .random(in: 0...UInt32.max) }),
      limits: WebSocketLimits(messageBytes: 16_777_216), compression: acceptance.compression)
    try take(rest, deadline)
  }

  /// Sends a text message.
  package func send(_ text: [UInt8], _ deadline: Deadline = .standard) throws {
    var bytes: [UInt8] = []
    endpoint.send(text.span, opcode: .text, using: workspace, into: &bytes)
    try stream.write(bytes, deadline)
  }

  /// Sends a binary message.
  package func send(binary: [UInt8], _ deadline: Deadline = .standard) throws {
    var bytes: [UInt8] = []
    endpoint.send(binary.span, opcode: .binary, using: workspace, into: &bytes)
    try stream.write(bytes, deadline)
  }

  /// From now on answers neither pings nor a closing handshake.
  package func fallSilent() {
    isSilent = true
  }

  /// Waits for what comes next; pings are answered and passed over.
  package func next(_ deadline: Deadline = .standard) throws -> Incoming {
    while true {
      while !queue.isEmpty {
        switch queue.removeFirst() {
        case .text(let bytes): return .text(bytes)
        case .closed(let code, _):
          end = code?.rawValue ?? 1005
          awaitEnd(deadline)
        case .failed(let error): throw TestFailure("the server broke the protocol: \(error)")
        case .binary, .ping, .pong: break
        }
      }
      if let end { return .closed(end) }
      let bytes = try stream.read(deadline)
      if bytes.isEmpty { end = 1006 } else { try take(bytes, deadline) }
    }
  }

  /// The server ends the connection first (RFC 6455 §7.1.1).
  private func awaitEnd(_ deadline: Deadline) {
    if !isSilent { _ = try? stream.readToEnd(deadline) }
    stream.close()
  }

  private func take(_ bytes: [UInt8], _ deadline: Deadline) throws {
    output.removeAll()
    endpoint.receive(bytes.span, using: workspace, into: &output)
    queue += output.events
    guard !isSilent else { return }
    // Who closes need not hear our farewell, so that it could not be written is no failure.
    do { try stream.write(output.bytes, deadline) } catch {
      guard endpoint.state != .open else { throw error }
    }
  }

  private static func response(
    from stream: any ByteStream, _ deadline: Deadline
  ) throws -> (HTTPResponse, rest: [UInt8]) {
    var parser = HTTPResponseParser()
    while true {
      let bytes = try stream.read(deadline)
      guard !bytes.isEmpty else { throw TestFailure("no answer to the upgrade") }
      let (consumed, response) = try parser.receive(bytes.span)
      if let response { return (response, Array(bytes[consumed...])) }
    }
  }
}
