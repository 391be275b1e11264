/// The body of a request on its way to the file, in bytes.
struct TransferBody: Sendable {
  enum End: Sendable, Hashable {
    case coming
    case ended
    case cut
  }

  /// The bytes not yet taken by the file above which no more is read.
  private static let highWaterMark: Int64 = 524_288
  private static let lowWaterMark: Int64 = 131_072

  /// The offset at which the request began.
  private(set) var start: Int64 = 0
  private(set) var end = End.coming
  /// Bytes that are kept until the file is open.
  private(set) var keptCount: Int64 = 0
  /// Bytes that were handed to the file.
  private var acceptedCount: Int64 = 0
  private var writtenCount: Int64 = 0
  /// Whether the host stops reading.
  private(set) var isPaused = true

  /// The offset up to which the file has taken bytes.
  var offset: Int64 { start + writtenCount }

  /// Whether the file has taken all that it was handed.
  var isWritten: Bool { acceptedCount == writtenCount }

  mutating func begin(at offset: Int64) { start = offset }

  mutating func finish(_ end: End) { self.end = end }

  mutating func keep(_ count: Int64) { keptCount += count }

  /// Hands what was kept to the file.
  ///
  /// - Returns: Whether a file of a size has room for it; otherwise nothing changes.
  mutating func acceptKept(size: Int64) -> Bool {
    guard keptCount <= size - start else { return false }
    acceptedCount = keptCount
    return true
  }

  /// Hands bytes to the file.
  ///
  /// - Returns: Whether a file of a size has room for them; otherwise nothing changes.
  mutating func accept(_ count: Int64, size: Int64) -> Bool {
    guard start + acceptedCount + count <= size else { return false }
    acceptedCount += count
    if acceptedCount - writtenCount > Self.highWaterMark { isPaused = true }
    return true
  }

  mutating func didWrite(_ count: Int64) { writtenCount += count }

  /// Goes back to where the request began.
  mutating func drop() {
    writtenCount = 0
    acceptedCount = 0
  }

  /// Reads on if the file has taken enough.
  ///
  /// - Returns: Whether the host was not reading.
  mutating func resumeIfLow() -> Bool {
    guard isPaused, acceptedCount - writtenCount <= Self.lowWaterMark else { return false }
    isPaused = false
    return true
  }
}
