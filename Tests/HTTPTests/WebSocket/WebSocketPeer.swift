import HTTP

/// An endpoint under test, driven with arrays.
final class WebSocketPeer {
  private var endpoint: WebSocketEndpoint
  private let deflate = DeflateWorkspace()

  init(
    _ role: WebSocketEndpoint.Role = .server, limits: WebSocketLimits = WebSocketLimits(),
    compression: PermessageDeflate.Agreement? = nil
  ) {
    endpoint = WebSocketEndpoint(role: role, limits: limits, compression: compression)
  }

  static func client(
    limits: WebSocketLimits = WebSocketLimits(), compression: PermessageDeflate.Agreement? = nil
  ) -> WebSocketPeer {
    WebSocketPeer(.client(maskingKey: { 0x37FA_213D }), limits: limits, compression: compression)
  }

  var state: WebSocketEndpoint.State { endpoint.state }

  func receive(_ bytes: [UInt8]) -> WebSocketOutput {
    var output = WebSocketOutput()
    endpoint.receive(bytes.span, using: deflate, into: &output)
    return output
  }

  /// Takes one message at most, and returns what was not taken besides.
  func receiveNext(_ bytes: [UInt8]) -> (output: WebSocketOutput, rest: [UInt8]) {
    var output = WebSocketOutput()
    let count = endpoint.receiveNext(bytes.span, using: deflate, into: &output)
    return (output, Array(bytes[count...]))
  }

  func events(_ bytes: [UInt8]) -> [WebSocketEvent] { receive(bytes).events }

  func send(_ payload: [UInt8], _ opcode: Opcode = .text) -> [UInt8] {
    var bytes: [UInt8] = []
    endpoint.send(payload.span, opcode: opcode, using: deflate, into: &bytes)
    return bytes
  }

  func send(_ text: String) -> [UInt8] { send(Array(text.utf8)) }

  func ping(_ payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    endpoint.ping(payload.span, into: &bytes)
    return bytes
  }

  func pong(_ payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    endpoint.pong(payload.span, into: &bytes)
    return bytes
  }

  func close(_ code: CloseCode?, _ reason: String = "") -> [UInt8] {
    var bytes: [UInt8] = []
    endpoint.close(code, reason: reason, into: &bytes)
    return bytes
  }
}

/// A frame as a client sends it, legal or not.
func clientFrame(
  _ opcode: UInt8, _ payload: [UInt8] = [], final isFinal: Bool = true, reserved: UInt8 = 0,
  key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
) -> [UInt8] {
  var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
  switch payload.count {
  case ..<126: bytes += [0x80 | UInt8(payload.count)]
  case ..<0x1_0000: bytes += [0xFE] + bigEndian(UInt16(payload.count))
  default: bytes += [0xFF] + bigEndian(UInt64(payload.count))
  }
  return bytes + key + payload.indices.map { payload[$0] ^ key[$0 % 4] }
}

func clientFrame(_ opcode: UInt8, _ text: String, final isFinal: Bool = true) -> [UInt8] {
  clientFrame(opcode, Array(text.utf8), final: isFinal)
}

/// A frame as a server sends it.
func serverFrame(_ first: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
  precondition(payload.count < 126)
  return [first, UInt8(payload.count)] + payload
}

func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: number.bigEndian) { Array($0) }
}

func closePayload(_ code: UInt16, _ reason: String = "") -> [UInt8] {
  bigEndian(code) + Array(reason.utf8)
}

/// The close code in a server's bytes that are one close frame.
func closeCode(_ bytes: [UInt8]) -> UInt16? {
  guard bytes.count >= 4, bytes[0] == 0x88 else { return nil }
  return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
}

extension WebSocketEvent {
  static func text(_ text: String) -> WebSocketEvent { .text(Array(text.utf8)) }
}
