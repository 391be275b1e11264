/// The limits on the work for one file.
package struct ThumbnailLimits: Hashable, Sendable {
  /// The maximum number of pixels of a picture or a frame.
  package var maxPixels = 100_000_000
  /// The maximum length of a side of a picture, in pixels.
  package var maxSide = 32_767
  /// The maximum CPU time of each program, in seconds.
  package var cpuSeconds = 5
  /// The maximum address space of a program that decodes a picture, in bytes.
  package var memoryBytes = 512 << 20
  /// The maximum address space of the program that decodes a video, in bytes.
  package var filmMemoryBytes = 1 << 30
  /// The maximum length of one thumbnail, in bytes.
  package var resultBytes = 4 << 20
  /// The time from the start of the work on a file until it is killed, in milliseconds.
  package var wallClock: Int64 = 10_000

  package init() {}

  /// Checks a header against the limits.
  package func check(_ header: PictureHeader) throws(PictureRefusal) {
    guard let size = header.size else { return }
    guard size.width <= maxSide, size.height <= maxSide, size.width * size.height <= maxPixels
    else { throw .tooLarge(size) }
  }
}
