import TestSupport
import Testing

@testable import ParleyClient

@Suite("Reader of event streams", .onOwnThreads)
struct EventStreamReaderTests {
  private func events(_ text: String, limit: Int = 1000) throws -> [StreamEvent] {
    var reader = EventStreamReader(limit: limit)
    return try reader.receive(Array(text.utf8))
  }

  private func event(_ id: UInt64?, _ name: String = "", _ data: String) -> StreamEvent {
    StreamEvent(id: id, name: name, data: Array(data.utf8))
  }

  @Test("reads numbers, names and data")
  func fields() throws {
    let text =
      "event: hello\ndata: {\"after\":0}\n\nid: 1\ndata: {}\n\nid:2\nevent:close\ndata:x\n\n"
    #expect(
      try events(text) == [
        event(nil, "hello", "{\"after\":0}"), event(1, "", "{}"), event(2, "close", "x"),
      ])
  }

  @Test("ends lines with CRLF, LF or CR", arguments: ["\r\n", "\n", "\r"])
  func lineEnds(end: String) throws {
    let lines = ["id: 7", "data: a", "data: b", "", ":c", "data", "", "data: d", "", ""]
    #expect(
      try events(lines.joined(separator: end)) == [
        event(7, "", "a\nb"), event(nil, "", ""), event(nil, "", "d"),
      ])
  }

  @Test("skips comments, unknown fields, a byte order mark and an event without data or end")
  func skipped() throws {
    let text = "\u{feff}: padding\ndata: a\nretry: 5\nother\n\nid: 4\nevent: x\n\ndata: cut\n"
    #expect(try events(text) == [event(nil, "", "a")])
  }

  @Test("ignores numbers that are none")
  func numbers() throws {
    for id in ["-1", "x", "1.5", "99999999999999999999", ""] {
      #expect(try events("id: \(id)\ndata: a\n\n") == [event(nil, "", "a")])
    }
  }

  @Test("refuses events and lines beyond the limit, but no comments")
  func limit() throws {
    #expect(try events("data: \(String(repeating: "x", count: 90))\n\n", limit: 100).count == 1)
    #expect(try events(":\(String(repeating: " ", count: 5000))\n\n", limit: 100).isEmpty)
    for text in [
      "data: \(String(repeating: "x", count: 100))", String(repeating: "data: xxx\n", count: 40),
      String(repeating: "y", count: 101),
    ] {
      #expect(throws: EventStreamReader.TooLarge(limit: 100)) { try events(text, limit: 100) }
    }
  }

  @Test("finds the same events however the bytes are cut")
  func pieces() throws {
    var random = SeededGenerator(seed: 7)
    let parts = [
      "id: 1", "id: 2\r", "data: a", "data:", "event: close", ":", ": x", "\n", "\r", "\r\n",
      "\n\n",
      "\r\n\r\n", "\u{feff}", "é", "retry: 1", "x",
    ]
    for _ in 0..<500 {
      let count = Int.random(in: 0...30, using: &random)
      let text = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
      var reader = EventStreamReader(limit: 1000)
      var found: [StreamEvent] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let length = Int.random(in: 1...4, using: &random)
        found += try reader.receive(Array(rest.prefix(length)))
        rest = rest.dropFirst(length)
      }
      #expect(try events(text) == found, "\(text.debugDescription)")
    }
  }
}
