import Testing

@testable import parley

@Suite("Arguments of the process")
struct ProgramArgumentsTests {
  private func decoded(_ bytes: [UInt8]) throws -> [String] {
    try (bytes + [0]).map(CChar.init(bitPattern:)).withUnsafeBufferPointer {
      try ProgramArguments.decoded([try #require($0.baseAddress)])
    }
  }

  @Test("UTF-8 text is used unchanged", arguments: ["", "hello", "é 😀", "\u{FFFD}"])
  func valid(_ text: String) throws {
    #expect(try decoded(Array(text.utf8)) == [text])
  }

  @Test(
    "an argument that is not UTF-8 is a usage error",
    arguments: [[0xFF], [0x61, 0xC3], [0xED, 0xA0, 0xBD], Array("cut \u{1F600}".utf8.dropLast())]
      as [[UInt8]])
  func invalid(_ bytes: [UInt8]) {
    #expect(throws: (any Error).self) { try decoded(bytes) }
  }
}
