/// The body of a request being written to the file, in bytes.
struct TransferBody: Sendable {
  enum End: Sendable, Hashable {
    case coming
    case ended
    case cut
  }

  /// Bytes handed to the file and not yet written, above which reading stops.
  private static let highWaterMark: Int64 = 524_288
  private static let lowWaterMark: Int64 = 131_072

  /// The offset at which the request began.
  private(set) var start: Int64 = 0
  private(set) var end = End.coming
  /// Bytes kept in memory until the file is open.
  private(set) var keptCount: Int64 = 0
  /// Bytes handed to the file.
  private var acceptedCount: Int64 = 0
  private var writtenCount: Int64 = 0
  /// Whether the host has stopped reading.
  private(set) var isPaused = true

  /// The offset up to which the file has written bytes.
  var offset: Int64 { start + writtenCount }

  /// Whether the file has written all bytes handed to it.
  var isWritten: Bool { acceptedCount == writtenCount }

  mutating func begin(at offset: Int64) { start = offset }

  mutating func finish(_ end: End) { self.end = end }

  mutating func keep(_ count: Int64) { keptCount += count }

  /// Hands the kept bytes to the file.
  ///
  /// - Returns: Whether they fit into a file of the given size; otherwise nothing changes.
  mutating func acceptKept(size: Int64) -> Bool {
    guard keptCount <= size - start else { return false }
    acceptedCount = keptCount
    return true
  }

  /// Hands bytes to the file.
  ///
  /// - Returns: Whether they fit into a file of the given size; otherwise nothing changes.
  mutating func accept(_ count: Int64, size: Int64) -> Bool {
    guard start + acceptedCount + count <= size else { return false }
    acceptedCount += count
    if acceptedCount - writtenCount > Self.highWaterMark { isPaused = true }
    return true
  }

  mutating func didWrite(_ count: Int64) { writtenCount += count }

  /// Returns to the offset where the request began.
  mutating func drop() {
    writtenCount = 0
    acceptedCount = 0
  }

  /// Resumes reading if the file has written enough.
  ///
  /// - Returns: Whether the host had stopped reading.
  mutating func resumeIfLow() -> Bool {
    guard isPaused, acceptedCount - writtenCount <= Self.lowWaterMark else { return false }
    isPaused = false
    return true
  }
}
