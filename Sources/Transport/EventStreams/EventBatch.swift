/// Events that several streams share, without their numbers.
///
/// Copied once for all subscribers of a channel: each stream keeps a reference, for as long as its client
/// may ask for an event of the batch.
final class EventBatch {
  /// The events in the form of ``EventFrames``.
  let frames: [UInt8]
  /// The number of streams that share the memory.
  let sharers: Int

  init(_ frames: UnsafeRawBufferPointer, sharers: Int = 1) {
    self.frames = Array(frames)
    self.sharers = sharers
  }
}
