import Transport
import HTTP

/// The sample request of RFC 6455 §1.3, without what a server need not have.
let upgradeRequest = Array(
  """
  GET /chat HTTP/1.1\r
  Host: server.example.com\r
  Upgrade: websocket\r
  Connection: Upgrade\r
  Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
  Sec-WebSocket-Version: 13\r
  \r

  """.utf8)

/// A frame as a client sends it.
func clientFrame(_ opcode: Opcode, _ payload: [UInt8] = []) -> [UInt8] {
  var bytes: [UInt8] = []
  FrameEncoder.appendMaskedFrame(
    opcode: opcode, payload: payload.span, key: MaskingKey(0x37FA_213D), into: &bytes)
  return bytes
}

func clientText(_ text: String) -> [UInt8] { clientFrame(.text, Array(text.utf8)) }

func clientClose(_ code: CloseCode) -> [UInt8] {
  clientFrame(.close, ClosePayload(code: code).encoded)
}

/// A frame as the server sends it.
func serverFrame(_ opcode: Opcode, _ payload: [UInt8] = []) -> [UInt8] {
  var bytes: [UInt8] = []
  FrameEncoder.appendFrame(opcode: opcode, payload: payload.span, into: &bytes)
  return bytes
}

extension CloseCode {
  static let slowConsumer = CloseCode(rawValue: 4004)
  static let pongTimeout = CloseCode(rawValue: 4005)
}

extension TransportConfiguration {
  /// The same with close codes of these tests.
  var withTestCodes: TransportConfiguration {
    var configuration = self
    configuration.slowConsumerCode = .slowConsumer
    configuration.pongTimeoutCode = .pongTimeout
    return configuration
  }
}

func serverText(_ text: String) -> [UInt8] { serverFrame(.text, Array(text.utf8)) }

func serverClose(_ code: CloseCode, _ reason: String = "") -> [UInt8] {
  serverFrame(.close, ClosePayload(code: code, reason: reason).encoded)
}
