import HTTP
import TestSupport
import Testing

@testable import Transport

@Suite("Events of a stream")
struct EventBufferTests {
  private func append(_ text: String, to buffer: inout EventBuffer) {
    var frames: [UInt8] = []
    EventFrames.append(Array(text.utf8), to: &frames)
    frames.withUnsafeBytes { buffer.append(EventBatch($0)) }
  }

  private func take(_ buffer: inout EventBuffer, upTo limit: Int = .max / 2) -> String {
    var taken: [UInt8] = []
    buffer.take(upTo: limit, into: &taken)
    return String(decoding: taken, as: UTF8.self)
  }

  @Test("are numbered from 1 and taken once")
  func numbers() {
    var buffer = EventBuffer()
    append("a", to: &buffer)
    append("b", to: &buffer)
    #expect(take(&buffer) == "id: 1\ndata: a\n\nid: 2\ndata: b\n\n")
    #expect(take(&buffer).isEmpty)
    EventFrames.closing(.goingAway, reason: "x").withUnsafeBytes { buffer.append(EventBatch($0)) }
    #expect(
      take(&buffer) == "id: 3\nevent: close\ndata: {\"code\":1001,\"reason\":\"x\"}\n\n")
    #expect(buffer.last == 3)
  }

  @Test("are taken whole, and at least one at a time")
  func pieces() {
    var buffer = EventBuffer()
    for _ in 0..<4 { append("a", to: &buffer) }
    #expect(take(&buffer, upTo: 1) == "id: 1\ndata: a\n\n")
    #expect(take(&buffer, upTo: 29) == "id: 2\ndata: a\n\n")
    #expect(take(&buffer, upTo: 30) == "id: 3\ndata: a\n\nid: 4\ndata: a\n\n")
  }

  @Test("that are confirmed use no memory")
  func confirmed() {
    var buffer = EventBuffer()
    for _ in 0..<100 { append("a", to: &buffer) }
    _ = take(&buffer)
    #expect(buffer.byteCount > 0)
    #expect(buffer.resume(after: 100) == .resumed)
    #expect(buffer.byteCount == 0)
    append("b", to: &buffer)
    #expect(take(&buffer) == "id: 101\ndata: b\n\n")
  }

  @Test("of the future cannot be confirmed")
  func future() {
    var buffer = EventBuffer()
    #expect(buffer.resume(after: 1) == .ahead(last: 0))
    append("a", to: &buffer)
    #expect(buffer.resume(after: .max - 1) == .ahead(last: 1))
    #expect(buffer.resume(after: 0) == .resumed)
  }

  @Test("that wait are kept, and the oldest taken ones are dropped")
  func bound() {
    let text = String(repeating: "x", count: 1_000)
    var buffer = EventBuffer()
    for _ in 0..<400 { append(text, to: &buffer) }
    #expect(buffer.byteCount > EventBuffer.keptByteCount)
    #expect(buffer.resume(after: 0) == .resumed)
    _ = take(&buffer)
    #expect(buffer.byteCount <= EventBuffer.keptByteCount)
    #expect(buffer.resume(after: 0) == .gone)
    #expect(buffer.resume(after: 399) == .resumed)
    #expect(take(&buffer).hasPrefix("id: 400\n"))
  }

  @Test("agree with a list of all events under any operations", arguments: UInt64(1)...20)
  func model(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var buffer = EventBuffer()
    var all: [String] = []
    // The number of the event before each batch.
    var starts: [Int] = []
    var (taken, kept) = (0, 0)
    func size(_ range: Range<Int>) -> Int { all[range].reduce(0) { $0 + $1.utf8.count } }
    for _ in 0..<400 {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<6:
        var frames: [UInt8] = []
        starts.append(all.count)
        for _ in 0..<Int.random(in: 1...12, using: &generator) {
          let size = Int.random(in: 1...4_000, using: &generator)
          let text = String(repeating: "y", count: size)
          EventFrames.append(Array(text.utf8), to: &frames)
          all.append("id: \(all.count + 1)\ndata: \(text)\n\n")
        }
        let batch = frames.withUnsafeBytes { EventBatch($0) }
        guard taken == starts.last, Bool.random(using: &generator) else {
          buffer.append(batch)
          break
        }
        var text: [UInt8] = []
        let expected = all[taken...].joined()
        #expect(buffer.byteCount(of: batch) == expected.utf8.count)
        buffer.append(taken: batch, into: &text)
        #expect(String(decoding: text, as: UTF8.self) == expected)
        taken = all.count
      case 6..<8:
        let limit = Int.random(in: 1...100_000, using: &generator)
        let text = take(&buffer, upTo: limit)
        var end = taken
        while end < all.count, end == taken || size(taken..<end + 1) <= limit { end += 1 }
        // A batch that does not fit may be taken in part, or with the next call.
        #expect(text.isEmpty == (taken == all.count))
        while !text.isEmpty, size(taken..<end) > text.utf8.count { end -= 1 }
        #expect(text == all[taken..<end].joined())
        taken = end
      case 8:
        let number = Int.random(in: 0...(all.count + 2), using: &generator)
        let isKnown = number <= all.count
        #expect(
          buffer.confirm(upTo: UInt64(number))
            == (isKnown ? .resumed : .ahead(last: UInt64(all.count))))
        if isKnown { confirm(min(number, taken)) }
      default:
        let number = Int.random(in: 0...(all.count + 2), using: &generator)
        let result = buffer.resume(after: UInt64(number))
        if number > all.count {
          #expect(result == .ahead(last: UInt64(all.count)))
        } else if number < kept {
          #expect(result == .gone)
        } else {
          #expect(result == .resumed)
          taken = number
          confirm(number)
        }
      }
      while let next = nextStart(after: kept), next <= taken,
        size(kept..<all.count) > EventBuffer.keptByteCount
      {
        kept = next
      }
      #expect(buffer.byteCount == size(kept..<all.count))
      #expect(buffer.waitingByteCount == size(taken..<all.count))
      #expect(buffer.hasWaiting == (taken < all.count))
    }
    /// The end of the batch that begins after an event.
    func nextStart(after number: Int) -> Int? {
      guard number < all.count else { return nil }
      return starts.first { $0 > number } ?? all.count
    }
    /// Whole batches of confirmed events are freed.
    func confirm(_ number: Int) {
      while let next = nextStart(after: kept), next <= number { kept = next }
    }
  }

  @Test("for several streams are encoded once, on one line each")
  func frames() {
    var frames: [UInt8] = []
    EventFrames.append(Array("{\n}".utf8), to: &frames)
    EventFrames.append(Array("[]".utf8), to: &frames)
    var found: [String] = []
    frames.withUnsafeBytes { bytes in
      EventFrames.forEach(in: bytes) { found.append(String(decoding: $0, as: UTF8.self)) }
    }
    #expect(found == ["data: { }\n\n", "data: []\n\n"])
    let closing = EventFrames.closing(.goingAway, reason: #"a "b" \ c"#)
    #expect(
      String(decoding: closing.dropFirst(4), as: UTF8.self)
        == "event: close\n" + #"data: {"code":1001,"reason":"a \"b\" \\ c"}"# + "\n\n")
  }

  @Test("that several streams share are accounted for in parts")
  func sharing() {
    var frames: [UInt8] = []
    EventFrames.append(Array(String(repeating: "x", count: 10_000).utf8), to: &frames)
    let batch = frames.withUnsafeBytes { EventBatch($0, sharers: 100) }
    var buffer = EventBuffer()
    buffer.append(batch)
    #expect(buffer.byteCount > 10_000)
    #expect((100...200).contains(buffer.memory))
    _ = take(&buffer)
    #expect(buffer.confirm(upTo: 1) == .resumed)
    #expect(buffer.memory == 0)
  }
}
