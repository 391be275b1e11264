import Testing
import HTTP

@Suite("The frame encoder")
struct FrameEncoderTests {
  private let hello = Array("Hello".utf8)

  @Test("encodes the examples of RFC 6455 §5.7")
  func examples() {
    var bytes: [UInt8] = []
    FrameEncoder.appendFrame(opcode: .text, payload: hello.span, into: &bytes)
    #expect(bytes == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
    bytes = []
    FrameEncoder.appendMaskedFrame(
      opcode: .text, payload: hello.span, key: MaskingKey(0x37FA_213D), into: &bytes)
    #expect(bytes == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
  }

  @Test("encodes the example of RFC 7692 §7.2.3.1")
  func compressed() {
    let workspace = DeflateWorkspace()
    var payload: [UInt8] = []
    workspace.compress(hello.span, windowBits: 15, into: &payload)
    var bytes: [UInt8] = []
    FrameEncoder.appendFrame(
      opcode: .text, payload: payload.span, compressed: .deflated, into: &bytes)
    #expect(bytes == [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00])
  }

  @Test("appends to existing output")
  func appending() {
    var bytes: [UInt8] = []
    FrameEncoder.appendFrame(opcode: .text, payload: hello.span, into: &bytes)
    let one = bytes
    FrameEncoder.appendFrame(opcode: .text, payload: hello.span, into: &bytes)
    #expect(bytes == one + one)
  }
}
