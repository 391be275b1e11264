/// The kind of a frame (RFC 6455 §5.2), four bits on the wire.
package struct Opcode: Sendable, Hashable, RawRepresentable {
  /// The four bits.
  package let rawValue: UInt8

  /// Makes an opcode from the low four bits of `rawValue`.
  @inlinable
  package init(rawValue: UInt8) {
    self.rawValue = rawValue & 0x0F
  }

  package static let continuation = Opcode(rawValue: 0x0)
  package static let text = Opcode(rawValue: 0x1)
  package static let binary = Opcode(rawValue: 0x2)
  package static let close = Opcode(rawValue: 0x8)
  package static let ping = Opcode(rawValue: 0x9)
  package static let pong = Opcode(rawValue: 0xA)

  /// Whether the frame is about the connection and not part of a message (§5.5).
  package var isControl: Bool { rawValue & 0x8 != 0 }

  /// Whether no document gives this opcode a meaning.
  package var isReserved: Bool { rawValue & 0x7 > 2 }
}
