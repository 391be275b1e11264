import Glibc
import Reactor
import TestSupport
import Testing

@testable import Telemetry

@Suite("Log writer", .onOwnThreads)
struct LogWriterTests {
  private func writer(_ descriptor: Int32) throws -> LogWriter {
    try LogWriter(descriptor) { "lost \($0)\n" }
  }

  private func read(_ pipe: PipePair) -> String { String(decoding: pipe.read(), as: UTF8.self) }

  private func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }

  @Test("lines are written whole and in order, including lines that waited at the end")
  func order() throws {
    let pipe = try PipePair()
    let writer = try writer(pipe.writing)
    let expected = (0..<300).map { "line \($0) \(String(repeating: "x", count: $0))" }
    for line in expected { writer.add(line + "\n") }
    var text = ""
    while lines(text).count < expected.count { text += read(pipe) }
    writer.add("last\n")
    writer.end(within: 60_000)
    #expect(read(pipe) == "last\n")
    #expect(lines(text).map(String.init) == expected)
    #expect(writer.lostCount == 0)
  }

  @Test("a pipe that is not read blocks no caller; dropped lines are counted and reported")
  func unreadPipe() throws {
    let pipe = try PipePair()
    let writer = try writer(pipe.writing)
    let line = String(repeating: "x", count: 99) + "\n"
    let count = 3 * LogWriter.capacity / line.utf8.count
    for _ in 0..<count { writer.add(line) }
    let lost = writer.lostCount
    #expect(lost > 0 && lost < count)
    var text = ""
    while !text.contains("lost") { text += read(pipe) }
    writer.add("again\n")
    while !text.contains("again") { text += read(pipe) }
    let written = lines(text).count { $0.hasPrefix("xx") }
    #expect(written == count - lost)
    #expect(lines(text).filter { $0.hasPrefix("lost") } == ["lost \(lost)"])
    #expect(lines(text).last == "again")
  }

  @Test("the end does not wait for a pipe that is not read")
  func endOfUnreadPipe() throws {
    let pipe = try PipePair()
    let writer = try writer(pipe.writing)
    for _ in 0..<20 { writer.add(String(repeating: "x", count: 9_999) + "\n") }
    writer.end(within: 1)
    writer.add("late\n")
    #expect(writer.lostCount == 1)
    var text = ""
    while text.count(where: { $0 == "\n" }) < 21 { text += read(pipe) }
    #expect(lines(text).filter { !$0.hasPrefix("xx") } == ["lost 1"])
  }

  @Test("a full pipe that does not block loses no line")
  func nonBlockingPipe() throws {
    let pipe = try PipePair()
    try #require(fcntl(pipe.writing, F_SETFL, O_NONBLOCK) == 0)
    let writer = try writer(pipe.writing)
    for _ in 0..<100 { writer.add(String(repeating: "x", count: 9_999) + "\n") }
    var text = ""
    while lines(text).count < 100 { text += read(pipe) }
    writer.end(within: 60_000)
    #expect(writer.lostCount == 0)
  }

  @Test("after a full disk the number of lost lines is written, and a truncated line is terminated")
  func fullDisk() throws {
    let pipe = try PipePair()
    let kernel = ScriptedKernel { call in
      guard call.kind == .write, call.descriptor == pipe.writing else { return .pass }
      switch call.turn {
      case 0: return .atMost(2)
      case 1, 2: return .fail(ENOSPC)
      default: return .pass
      }
    }
    let writer = try kernel.run { try self.writer(pipe.writing) }
    for (lost, line) in ["first\n", "second\n"].enumerated() {
      writer.add(line)
      try Deadline.standard.wait(for: "a lost line") { writer.lostCount == lost + 1 }
    }
    writer.add("third\n")
    writer.end(within: 60_000)
    #expect(read(pipe) == "fi\nthird\nlost 2\n")
  }
}
