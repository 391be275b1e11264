import HTTP
import ParleyProtocol
import TestPeers
import TestSupport

/// The server's side of one WebSocket, at the hands of a script.
final class WebSocketPeer {
  let stream: any ByteStream
  private(set) var request: HTTPRequestHead
  let agreement: PermessageDeflate.Agreement?
  private var endpoint: WebSocketEndpoint
  private let workspace = DeflateWorkspace()
  private var output = WebSocketOutput()
  private var queue: [WebSocketEvent] = []

  /// Performs the opening handshake.
  init(
    _ stream: any ByteStream, compression: PermessageDeflate.Policy? = nil,
    piece: Int = .max
  ) throws {
    self.stream = stream
    let (head, rest) = try Self.readHead(stream)
    request = head
    let acceptance = try ServerHandshake(
      subprotocols: ["parley.v1"], compression: compression
    ).accept(head)
    var bytes: [UInt8] = []
    acceptance.serialize(into: &bytes)
    agreement = acceptance.compression
    endpoint = WebSocketEndpoint(role: .server, compression: acceptance.compression)
    try write(bytes, piece: piece)
    endpoint.receive(rest.span, using: workspace, into: &output)
    queue += output.events
  }

  /// Reads a request's head.
  static func readHead(
    _ stream: any ByteStream
  ) throws -> (HTTPRequestHead, rest: [UInt8]) {
    var parser = HTTPRequestParser()
    while true {
      let bytes = try stream.read(.standard)
      guard !bytes.isEmpty else { throw TestFailure("the client ended its request") }
      let (consumed, event) = try parser.receive(bytes.span)
      if case .request(let request)? = event {
        return (request.head, Array(bytes[consumed...]))
      }
    }
  }

  /// Waits for what the client does next; `nil` at the end.
  func next() throws -> WebSocketEvent? {
    while queue.isEmpty {
      let bytes = try stream.read(.standard)
      guard !bytes.isEmpty else { return nil }
      output.removeAll()
      endpoint.receive(bytes.span, using: workspace, into: &output)
      queue += output.events
      if !output.bytes.isEmpty { try? stream.write(output.bytes, .standard) }
    }
    return queue.removeFirst()
  }

  /// Waits for the close code that the client sends; 1006 at an end without one.
  func closeCode() throws -> UInt16 {
    while let event = try next() {
      if case .closed(let code, _) = event { return code?.rawValue ?? 1005 }
    }
    return 1006
  }

  /// Waits for a request.
  func nextRequest() throws -> (id: String, method: String, params: JSONNode) {
    while let event = try next() {
      guard case .text(let text) = event else { continue }
      let root = try JSONDocument(text).root
      guard let id = root["id"], let method = root["method"]?.string, let params = root["params"]
      else { throw TestFailure("no request: \(String(decoding: text, as: UTF8.self))") }
      return (String(decoding: id.raw, as: UTF8.self), method, params)
    }
    throw TestFailure("the client is gone")
  }

  /// Answers the next request, and returns its method.
  @discardableResult
  func answer(_ result: String = "{}", piece: Int = .max) throws -> String {
    let request = try nextRequest()
    try send(#"{"jsonrpc":"2.0","id":\#(request.id),"result":\#(result)}"#, piece: piece)
    return request.method
  }

  /// Answers each request until the client is gone.
  func answerAll() throws {
    while let event = try next() {
      guard case .text(let text) = event else { continue }
      let root = try JSONDocument(text).root
      guard let id = root["id"] else { continue }
      let number = String(decoding: id.raw, as: UTF8.self)
      try send(#"{"jsonrpc":"2.0","id":\#(number),"result":{"n":\#(number)}}"#)
      guard root["method"]?.string == "session.close" else { continue }
      try close(.normalClosure)
    }
  }

  func send(_ text: String, piece: Int = .max) throws {
    var bytes: [UInt8] = []
    endpoint.send(Array(text.utf8).span, opcode: .text, using: workspace, into: &bytes)
    try write(bytes, piece: piece)
  }

  func ping(_ payload: [UInt8]) throws {
    var bytes: [UInt8] = []
    endpoint.ping(payload.span, into: &bytes)
    try stream.write(bytes, .standard)
  }

  func close(_ code: CloseCode) throws {
    var bytes: [UInt8] = []
    endpoint.close(code, into: &bytes)
    try stream.write(bytes, .standard)
  }

  private func write(_ bytes: [UInt8], piece: Int) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = rest.prefix(piece)
      try stream.write(Array(part), .standard)
      rest = rest.dropFirst(part.count)
    }
  }
}
