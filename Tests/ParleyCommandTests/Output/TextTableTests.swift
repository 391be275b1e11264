import Testing

@testable import parley

@Suite("A table")
struct TextTableTests {
  @Test("aligns text to the left and numbers to the right, by display width")
  func alignment() {
    var table = TextTable([.text("name"), .number("count"), .text("note")])
    table.add(["世界", "5", ""])
    table.add(["a", "12345678", "x"])
    #expect(
      table.lines(whenEmpty: "none", style: .plain) == [
        "NAME     COUNT  NOTE", "世界         5", "a     12345678  x",
      ])
  }

  @Test("reports that it is empty")
  func empty() {
    #expect(TextTable([.text("a")]).lines(whenEmpty: "nothing") == ["nothing"])
  }

  @Test("escapes its cells and truncates long ones")
  func cells() {
    var table = TextTable([.text("a")])
    table.add(["\u{1b}[31mred\nline"])
    table.add([String(repeating: "x", count: 500)])
    let lines = table.lines(whenEmpty: "", style: .plain)
    #expect(lines[1] == "[31mred line")
    #expect(lines[2].count == 60)
    #expect(lines[2].hasSuffix("…"))
  }
}
