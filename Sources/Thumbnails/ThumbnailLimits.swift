/// The bounds on the work for one file.
package struct ThumbnailLimits: Hashable, Sendable {
  /// The pixels that a picture or a frame may have.
  package var maxPixels = 100_000_000
  /// The pixels of one side of a picture.
  package var maxSide = 32_767
  /// The processor time of each program that runs.
  package var cpuSeconds = 5
  /// The address space of a program that decodes a picture.
  package var memoryBytes = 512 << 20
  /// The address space of the program that decodes a film.
  package var filmMemoryBytes = 1 << 30
  /// The length of one thumbnail.
  package var resultBytes = 4 << 20
  /// The time from the start of the work on a file to its forced end, in milliseconds.
  package var wallClock: Int64 = 10_000

  package init() {}

  /// Checks a header against the limits.
  package func check(_ header: PictureHeader) throws(PictureRefusal) {
    guard let size = header.size else { return }
    guard size.width <= maxSide, size.height <= maxSide, size.width * size.height <= maxPixels
    else { throw .tooLarge(size) }
  }
}
