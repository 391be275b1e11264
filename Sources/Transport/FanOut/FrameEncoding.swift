/// The encoding of a server's frames; connections with the same encoding get the same bytes.
///
/// A connection whose agreement lets the server keep a compression context gets the very same
/// bytes as one that forbids it: the permission need not be used (RFC 7692 §7.1.1.1).
package struct FrameEncoding: Hashable, Sendable {
  /// The LZ77 window in bits, 9 to 15; 0 when frames are not compressed.
  package let windowBits: UInt8

  /// Frames as they are.
  package static let plain = FrameEncoding(windowBits: 0)

  /// Frames that are each compressed by itself, for a peer with a window of `windowBits` bits.
  package static func deflated(windowBits: UInt8) -> FrameEncoding {
    FrameEncoding(windowBits: windowBits)
  }

  package var isCompressed: Bool { windowBits > 0 }
}
