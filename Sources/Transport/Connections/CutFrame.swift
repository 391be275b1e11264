/// The frame of which a connection has written, or encrypted, the first bytes only.
struct CutFrame {
  /// The bytes that are left of it; 32 bits, as there may be many connections.
  private var rest: UInt32 = 0

  /// No frame.
  init() {}

  /// A frame of which this much is left, with all that goes before the next.
  init(byteCount: Int) {
    rest = UInt32(clamping: byteCount)
  }

  /// The frame that is cut when the first `count` of some whole frames are written.
  init(in frames: UnsafeRawBufferPointer, at count: Int) {
    self.init(byteCount: FrameBoundary.rest(of: frames, from: 0, cutAt: count))
  }

  /// The bytes that are left of it; 0 when a frame begins.
  var byteCount: Int { Int(rest) }

  /// Moves on to where the first `count` of the bytes that wait end.
  mutating func advance(past count: Int, of bytes: UnsafeRawBufferPointer) {
    guard count < bytes.count else {
      rest = 0
      return
    }
    rest = UInt32(clamping: FrameBoundary.rest(of: bytes, from: byteCount, cutAt: count))
  }
}

/// Finds the beginnings of frames in bytes that hold whole frames of a server, one after another.
enum FrameBoundary {
  /// Returns the number of bytes left of the frame that is cut.
  ///
  /// - Parameters:
  ///   - frames: Up to `first` the rest of an older frame, then whole frames.
  ///   - first: Where the first whole frame begins.
  ///   - cut: Where the bytes are cut.
  /// - Returns: 0 when a frame begins there.
  static func rest(of frames: UnsafeRawBufferPointer, from first: Int, cutAt cut: Int) -> Int {
    var boundary = first
    while boundary < cut {
      guard let length = frameLength(in: frames, at: boundary) else { return frames.count - cut }
      boundary += length
    }
    return min(boundary, frames.count) - cut
  }

  /// The length of a frame without a mask, its header included (RFC 6455 §5.2).
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
