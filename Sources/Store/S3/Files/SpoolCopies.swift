import Synchronization

/// The unfinished files of which this process has a copy on its disk, each with the last segment in the
/// copy.
final class SpoolCopies: Sendable {
  /// The maximum number of files; the copies of others are created again.
  private static let limit = 16_384

  private let segments = Mutex<[String: UploadSegment]>([:])

  /// Whether the copy contains all bytes up to the end of a segment.
  func hasCopy(of fileID: String, endingWith segment: UploadSegment?) -> Bool {
    segments.withLock { $0[fileID] == segment }
  }

  func note(_ fileID: String, endingWith segment: UploadSegment?) {
    segments.withLock { segments in
      if segments.count >= Self.limit, segments[fileID] == nil, let other = segments.keys.first {
        segments[other] = nil
      }
      segments[fileID] = segment
    }
  }

  func forget(_ fileID: String) {
    segments.withLock { $0[fileID] = nil }
  }
}
