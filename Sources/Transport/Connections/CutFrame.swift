/// A frame of which a connection has written or encrypted only the first bytes.
struct CutFrame {
  /// The number of remaining bytes; 32 bits, because there may be many connections.
  private var rest: UInt32 = 0

  /// No frame.
  init() {}

  /// A frame with this many bytes left, including everything that precedes the next frame.
  init(byteCount: Int) {
    rest = UInt32(clamping: byteCount)
  }

  /// The frame that is cut when the first `count` bytes of some whole frames are written.
  init(in frames: UnsafeRawBufferPointer, at count: Int) {
    self.init(byteCount: FrameBoundary.rest(of: frames, from: 0, cutAt: count))
  }

  /// The number of remaining bytes; 0 when a frame begins.
  var byteCount: Int { Int(rest) }

  /// Advances past the first `count` of the waiting bytes.
  mutating func advance(past count: Int, of bytes: UnsafeRawBufferPointer) {
    guard count < bytes.count else {
      rest = 0
      return
    }
    rest = UInt32(clamping: FrameBoundary.rest(of: bytes, from: byteCount, cutAt: count))
  }
}

/// Finds the starts of frames in bytes that contain consecutive whole frames of a server.
enum FrameBoundary {
  /// Returns the number of bytes left of the frame that is cut.
  ///
  /// - Parameters:
  ///   - frames: The rest of an older frame up to `first`, then whole frames.
  ///   - first: The offset of the first whole frame.
  ///   - cut: The offset at which the bytes are cut.
  /// - Returns: 0 when a frame begins at `cut`.
  static func rest(of frames: UnsafeRawBufferPointer, from first: Int, cutAt cut: Int) -> Int {
    var boundary = first
    while boundary < cut {
      guard let length = frameLength(in: frames, at: boundary) else { return frames.count - cut }
      boundary += length
    }
    return min(boundary, frames.count) - cut
  }

  /// The length of an unmasked frame, including its header (RFC 6455 §5.2).
  private static func frameLength(in bytes: UnsafeRawBufferPointer, at start: Int) -> Int? {
    guard start + 2 <= bytes.count else { return nil }
    let short = Int(bytes[start + 1] & 0x7f)
    let extended = short == 126 ? 2 : short == 127 ? 8 : 0
    guard extended > 0 else { return 2 + short }
    guard start + 2 + extended <= bytes.count else { return nil }
    var length = 0
    for byte in bytes[(start + 2)..<(start + 2 + extended)] {
      guard length >> 48 == 0 else { return nil }
      length = length << 8 | Int(byte)
    }
    return 2 + extended + length
  }
}
