import Testing

@testable import parley

@Suite("Lines from a pipe")
struct LineSplitterTests {
  @Test("are split at line ends, however the bytes arrive")
  func cuts() {
    var splitter = LineSplitter()
    let lines = Array("one\ntwö\n\nthree".utf8).flatMap { splitter.receive([$0]) }
    #expect(lines == ["one", "twö"])
    #expect(splitter.finish() == ["three"])
    #expect(splitter.finish().isEmpty)
  }

  @Test("are split at the length limit when they never end")
  func endless() {
    var splitter = LineSplitter()
    let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: LineSplitter.limit + 1)
    #expect(splitter.receive(bytes).map(\.utf8.count) == [LineSplitter.limit])
  }
}
