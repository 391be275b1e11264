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
