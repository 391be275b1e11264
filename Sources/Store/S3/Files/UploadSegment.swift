import Basics

/// A range of an unfinished file, stored as a separate object.
struct UploadSegment: Sendable, Hashable {
  /// The number of the request that stored it.
  let term: Int64
  /// The range of bytes of the stored file in it; never empty.
  let range: Range<Int64>

  private static let folder = "partial"

  /// The path of the segments of a file.
  static func folder(of fileID: String) -> String { "\(folder)/\(fileID)/" }

  /// The id of the file in the path of a segment; `nil` for the path of another object.
  static func fileID(inPath path: String) -> String? {
    let parts = path.split(separator: "/")
    guard parts.count == 3, parts[0] == folder, FileID.isValid(String(parts[1])) else { return nil }
    return String(parts[1])
  }

  init(term: Int64, _ range: Range<Int64>) {
    self.term = term
    self.range = range
  }

  /// Parses a name; `nil` for the name of another object.
  init?(name: some StringProtocol) {
    let numbers = name.split(separator: "-", omittingEmptySubsequences: false).map {
      Int64(decimal: $0)
    }
    guard numbers.count == 3, let term = numbers[0], let start = numbers[1], let end = numbers[2],
      start < end
    else { return nil }
    self.init(term: term, start..<end)
  }

  private var name: String { "\(term)-\(range.lowerBound)-\(range.upperBound)" }

  /// Its path below the bucket's prefix.
  func path(of fileID: String) -> String { Self.folder(of: fileID) + name }
}

/// The segments that make up the beginning of an unfinished file, in order and without a gap.
///
/// A bucket may contain others: those of requests that lost their claim before the end was recorded,
/// those from before a file was restarted, and those joined to larger ones. The upload's recorded end is
/// enough to find the right ones. A request writes from the recorded end on, or from the beginning of
/// the file, which is recorded first. So each of its segments ends after the end that was recorded when
/// the request began. Hence of all segments with the recorded end, the one with the highest term is part
/// of the file. The previous one is found likewise among the terms up to its own.
struct UploadSegments: Sendable, Hashable {
  /// The maximum size of a segment in bytes.
  static let segmentByteCount: Int64 = 4 << 20

  private(set) var segments: [UploadSegment] = []

  /// Creates an empty list.
  init() {}

  /// Finds the segments before an end.
  ///
  /// - Returns: `nil` when one is missing.
  init?(endingAt end: Int64, among found: [UploadSegment]) {
    let candidates = Dictionary(grouping: found) { $0.range.upperBound }
    var start = end
    var term = Int64.max
    while start > 0 {
      let next = candidates[start]?.filter { $0.term <= term }.max { $0.term < $1.term }
      guard let next else { return nil }
      segments.append(next)
      (start, term) = (next.range.lowerBound, next.term)
    }
    segments.reverse()
  }

  /// The number of bytes in the segments.
  var byteCount: Int64 { segments.last?.range.upperBound ?? 0 }

  /// Returns the next segment to store on the way to an end; `nil` when the end is reached.
  ///
  /// Small segments before it are joined to it. So each is twice as large as the next, or nearly full,
  /// and a file that arrives in single bytes has few segments.
  func next(towards end: Int64, term: Int64) -> UploadSegment? {
    guard byteCount < end else { return nil }
    let end = min(end, byteCount + Self.segmentByteCount)
    var start = byteCount
    for segment in segments.reversed() {
      guard segment.range.count < 2 * (end - start),
        end - segment.range.lowerBound <= Self.segmentByteCount
      else { break }
      start = segment.range.lowerBound
    }
    return UploadSegment(term: term, start..<end)
  }

  /// Adds a stored segment, which ``next(towards:term:)`` returned.
  ///
  /// - Returns: The segments that it replaces.
  mutating func append(_ segment: UploadSegment) -> [UploadSegment] {
    let kept = segments.prefix { $0.range.lowerBound < segment.range.lowerBound }
    let replaced = Array(segments[kept.endIndex...])
    segments = kept + [segment]
    return replaced
  }
}
