import ParleyProtocol
import Testing

@testable import parley

@Suite("The box of a thumbnail on the command line")
struct ThumbnailArgumentTests {
  @Test(
    "is a width and a height",
    arguments: [("1x1", 1, 1), ("320x240", 320, 240), ("2000x2", 2000, 2)])
  func boxes(text: String, width: Int, height: Int) {
    let size = ThumbnailArgument(argument: text)?.size
    #expect(size == ThumbnailSize(maxWidth: width, maxHeight: height))
  }

  @Test(
    "is refused in any other form",
    arguments: ["", "x", "100", "100x", "x100", "0x1", "2001x1", "1x2001", "1X1", "01x1", "1x1x1"])
  func refused(text: String) {
    #expect(ThumbnailArgument(argument: text) == nil)
  }

  @Test("several boxes are a JSON list, and none is an absent value")
  func list() throws {
    let boxes = try ["100x80", "7x5"].map { try #require(ThumbnailArgument(argument: $0)) }
    #expect(
      boxes.json == #"[{"max_width":100,"max_height":80},{"max_width":7,"max_height":5}]"#)
    #expect([ThumbnailArgument]().json == nil)
  }
}
