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

  private func take(_ buffer: inout EventBuffer, upTo limit: Int = .max) -> String {
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
    var (taken, kept) = (0, 0)
    for _ in 0..<400 {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<6:
        let size = Int.random(in: 1...20_000, using: &generator)
        append(String(repeating: "y", count: size), to: &buffer)
        all.append(
          "id: \(all.count + 1)\ndata: " + String(repeating: "y", count: size) + "\n\n")
      case 6..<8:
        let limit = Int.random(in: 1...100_000, using: &generator)
        let text = take(&buffer, upTo: limit)
        var expected = ""
        while taken < all.count,
          expected.isEmpty || expected.utf8.count + all[taken].utf8.count <= limit
        {
          expected += all[taken]
          taken += 1
        }
        #expect(text == expected)
      case 8:
        let number = Int.random(in: 0...(all.count + 2), using: &generator)
        let isKnown = number <= all.count
        #expect(
          buffer.confirm(upTo: UInt64(number))
            == (isKnown ? .resumed : .ahead(last: UInt64(all.count))))
        if isKnown { kept = max(kept, min(number, taken)) }
      default:
        let number = Int.random(in: 0...(all.count + 2), using: &generator)
        let result = buffer.resume(after: UInt64(number))
        if number > all.count {
          #expect(result == .ahead(last: UInt64(all.count)))
        } else if number < kept {
          #expect(result == .gone)
        } else {
          #expect(result == .resumed)
          (taken, kept) = (number, number)
        }
      }
      while kept < taken,
        all[kept...].reduce(0, { $0 + $1.utf8.count }) > EventBuffer.keptByteCount
      {
        kept += 1
      }
      #expect(buffer.byteCount == all[kept...].reduce(0) { $0 + $1.utf8.count })
      #expect(buffer.waitingByteCount == all[taken...].reduce(0) { $0 + $1.utf8.count })
    }
  }

  @Test("for several streams are encoded once, on one line each")
  func frames() {
    var frames: [UInt8] = []
    EventFrames.append(Array("{\n}".utf8), to: &frames)
    EventFrames.append(Array("[]".utf8), to: &frames)
    var found: [String] = []
    EventFrames.forEach(in: frames) { start, length in
      found.append(String(decoding: frames[start..<start + length], as: UTF8.self))
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
