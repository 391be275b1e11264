@testable import HTTP

/// Feeds a stream to an endpoint whole and in pieces; both must see the same events.
///
/// The first byte of the input chooses role, compression and the length of the pieces.
enum WebSocketEndpointHarness: Harness {
  static func run(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let stream = Array(input.dropFirst())
    let whole = events(stream, piece: max(1, stream.count), choice)
    let pieces = events(stream, piece: 1 + Int(choice >> 4), choice)
    precondition(whole == pieces, "the events depend on how the stream is cut")
  }
}

private func events(_ stream: [UInt8], piece: Int, _ choice: UInt8) -> [WebSocketEvent] {
  let agreement = PermessageDeflate.Agreement(
    serverNoContextTakeover: choice & 4 != 0, clientNoContextTakeover: choice & 4 != 0)
  var endpoint = WebSocketEndpoint(
    role: choice & 1 == 0 ? .server : .client(maskingKey: { 0x0102_0304 }),
    limits: WebSocketLimits(messageBytes: 10_000, controlFrames: .max),
    compression: choice & 2 == 0 ? nil : agreement)
  let workspace = DeflateWorkspace()
  var output = WebSocketOutput()
  var offset = 0
  while offset < stream.count {
    let end = min(stream.count, offset + piece)
    endpoint.receive(stream.span.extracting(offset..<end), using: workspace, into: &output)
    offset = end
  }
  check(output.events)
  return output.events
}

/// Messages keep the limit, text is UTF-8, and an end comes last.
private func check(_ events: [WebSocketEvent]) {
  for (index, event) in events.enumerated() {
    switch event {
    case .text(let payload):
      precondition(payload.count <= 10_000)
      precondition(String(validating: payload, as: UTF8.self) != nil)
    case .binary(let payload): precondition(payload.count <= 10_000)
    case .ping(let payload), .pong(let payload): precondition(payload.count <= 125)
    case .closed, .failed: precondition(index == events.count - 1)
    }
  }
}
