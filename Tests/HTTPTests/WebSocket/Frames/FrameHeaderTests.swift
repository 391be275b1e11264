import Testing

@testable import HTTP

@Suite("A frame header")
struct FrameHeaderTests {
  private func encoded(_ header: FrameHeader) -> [UInt8] {
    var bytes: [UInt8] = []
    header.encode(into: &bytes)
    return bytes
  }

  private func decoded(_ bytes: [UInt8]) throws(WebSocketError) -> (FrameHeader, Int)? {
    guard case .complete(let header, let count) = try FrameHeader.decode(bytes.span) else {
      return nil
    }
    return (header, count)
  }

  @Test("parses the examples of RFC 6455 §5.7")
  func examples() {
    #expect(encoded(FrameHeader(opcode: .text, payloadLength: 5)) == [0x81, 0x05])
    #expect(
      encoded(FrameHeader(opcode: .text, payloadLength: 5, maskingKey: MaskingKey(0x37FA_213D)))
        == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D])
    #expect(
      encoded(FrameHeader(opcode: .text, payloadLength: 3, isFinal: false)) == [0x01, 0x03])
    #expect(
      encoded(FrameHeader(opcode: .binary, payloadLength: 256)) == [0x82, 0x7E, 0x01, 0x00])
    #expect(
      encoded(FrameHeader(opcode: .binary, payloadLength: 65536))
        == [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0])
  }

  @Test(
    "reads back what it encodes, at every boundary of the lengths",
    arguments: [0, 1, 125, 126, 127, 0xFFFF, 0x1_0000, 0xFFFF_FFFF, Int.max])
  func roundTrip(length: Int) throws {
    for opcode in [Opcode.continuation, .text, .binary] {
      for key in [nil, MaskingKey(0x0102_0304)] {
        let header = FrameHeader(
          opcode: opcode, payloadLength: length, isFinal: false, isCompressed: true,
          maskingKey: key)
        let bytes = encoded(header)
        let (read, count) = try #require(try decoded(bytes))
        #expect(read == header)
        #expect(count == bytes.count)
        for prefix in bytes.indices { #expect(try decoded(Array(bytes[..<prefix])) == nil) }
      }
    }
  }

  @Test("a length in more bytes than needed is refused")
  func minimal() {
    #expect(throws: WebSocketError.lengthNotMinimal) { try decoded([0x82, 126, 0, 125]) }
    #expect(throws: WebSocketError.lengthNotMinimal) {
      try decoded([0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
    }
  }

  @Test("a length with its top bit set is refused")
  func topBit() {
    #expect(throws: WebSocketError.lengthOutOfRange) {
      try decoded([0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0])
    }
  }

  @Test("a wrong first byte is refused before the second has arrived")
  func firstByte() {
    for reserved: UInt8 in [0x10, 0x20, 0x30] {
      #expect(throws: WebSocketError.reservedBit) { try decoded([0x81 | reserved]) }
    }
    for opcode: UInt8 in [3, 4, 5, 6, 7, 0xB, 0xC, 0xD, 0xE, 0xF] {
      #expect(throws: WebSocketError.reservedOpcode(Opcode(rawValue: opcode))) {
        try decoded([0x80 | opcode])
      }
    }
    #expect(throws: WebSocketError.fragmentedControlFrame) { try decoded([0x09]) }
  }

  @Test("a control frame over 125 bytes is refused at its second byte")
  func longControl() {
    #expect(throws: WebSocketError.longControlFrame) { try decoded([0x89, 126]) }
    #expect(throws: WebSocketError.longControlFrame) { try decoded([0x88, 0xFF]) }
  }
}
