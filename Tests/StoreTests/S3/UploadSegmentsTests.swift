import TestSupport
import Testing

@testable import Store

@Suite(.onOwnThreads)
struct UploadSegmentsTests {
  private static let id = "0123456789abcdef0123456789abcdef"

  @Test
  func `A segment is read back from its name`() {
    let segment = UploadSegment(term: 7, 65_564..<4_000_000)
    let path = segment.path(of: Self.id)
    #expect(path == "partial/\(Self.id)/7-65564-4000000")
    #expect(UploadSegment(name: path.dropFirst(UploadSegment.folder(of: Self.id).count)) == segment)
  }

  @Test(arguments: [
    "", "1-2", "1-2-3-4", "1--2", "1-2-", "a-1-2", "1-2-2", "1-3-2", "-1-2-3", "1-+2-3",
    "1-2-99999999999999999999", "1-2-3/4",
  ])
  func `What is not the name of a segment is none`(_ name: String) {
    #expect(UploadSegment(name: name) == nil)
  }

  @Test
  func `A gap leaves nothing`() {
    let found = [UploadSegment(term: 1, 0..<4), UploadSegment(term: 2, 5..<9)]
    #expect(UploadSegments(endingAt: 9, among: found) == nil)
    #expect(UploadSegments(endingAt: 4, among: found)?.segments == [found[0]])
    #expect(UploadSegments(endingAt: 0, among: found)?.segments == [])
  }

  @Test
  func `A file that comes in small pieces has few segments`() {
    var generator = SeededGenerator(seed: 3)
    var segments = UploadSegments()
    var stored: Int64 = 0
    for term in 1..<5_000 as Range<Int64> {
      let end = segments.byteCount + .random(in: 1...4_096, using: &generator)
      while let next = segments.next(towards: end, term: term) {
        stored += Int64(next.range.count)
        #expect(next.range.count <= UploadSegments.segmentByteCount)
        _ = segments.append(next)
      }
    }
    #expect(segments.byteCount > 9_000_000)
    #expect(segments.segments.count < 30)
    #expect(stored < 30 * segments.byteCount)
  }

  /// Requests that write, lose their claim and go on writing, begin anew, and die: with each recorded
  /// end, the segments are those of what was recorded.
  @Test(arguments: 0..<300 as Range<UInt64>)
  func `The recorded end is enough`(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var world = SegmentWorld()
    var requests: [SegmentRequest] = []
    for _ in 0..<60 {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0, 1: requests.append(try world.claim(anew: Bool.random(using: &generator)))
      case 2: if !requests.isEmpty { requests.removeFirst() }
      default:
        guard let index = requests.indices.randomElement(using: &generator) else { break }
        world.store(.random(in: 1...90, using: &generator), of: &requests[index], with: &generator)
      }
      try world.check()
    }
  }
}

/// A request that believes that it alone writes.
private struct SegmentRequest {
  let term: Int64
  var segments: UploadSegments
  /// The request that wrote each stretch of a file, in the order of the bytes.
  var content: [Int64]
}

/// A bucket and a record; a stretch of the file is 64 KiB of one request.
private struct SegmentWorld {
  static let stretch: Int64 = 65_536

  var bucket: [UploadSegment: [Int64]] = [:]
  var term: Int64 = 0
  var end: Int64 = 0
  var content: [Int64] = []

  mutating func claim(anew: Bool) throws -> SegmentRequest {
    term += 1
    if anew { (end, content) = (0, []) }
    let segments = try #require(UploadSegments(endingAt: end, among: Array(bucket.keys)))
    let used = Set(segments.segments)
    for segment in bucket.keys where segment.term < term && !used.contains(segment) {
      bucket[segment] = nil
    }
    return SegmentRequest(term: term, segments: segments, content: content)
  }

  /// Stores some stretches that a request writes, and records them if the request has the claim and lives until then.
  mutating func store(
    _ count: Int, of request: inout SegmentRequest, with generator: inout SeededGenerator
  ) {
    request.content += Array(repeating: request.term, count: count)
    let newEnd = Int64(request.content.count) * Self.stretch
    while let next = request.segments.next(towards: newEnd, term: request.term) {
      let stretches =
        Int(next.range.lowerBound / Self.stretch)..<Int(next.range.upperBound / Self.stretch)
      bucket[next] = Array(request.content[stretches])
      _ = request.segments.append(next)
    }
    guard request.term == term, Int.random(in: 0..<4, using: &generator) > 0 else { return }
    (end, content) = (newEnd, request.content)
  }

  func check() throws {
    let segments = try #require(UploadSegments(endingAt: end, among: Array(bucket.keys)))
    #expect(segments.segments.flatMap { bucket[$0] ?? [] } == content)
  }
}
