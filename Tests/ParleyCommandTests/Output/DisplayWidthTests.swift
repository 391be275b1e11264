import Testing

@testable import parley

@Suite("The width of a text on a terminal")
struct DisplayWidthTests {
  @Test(
    "counts columns, not characters",
    arguments: [("abc", 3), ("é", 1), ("e\u{301}", 1), ("世界", 4), ("🎉", 2), ("\u{200b}", 0)])
  func width(text: String, columns: Int) {
    #expect(DisplayWidth.of(text) == columns)
  }

  @Test("is cut to the available width")
  func fit() {
    #expect(DisplayWidth.fit("hello", into: 5) == "hello")
    #expect(DisplayWidth.fit("hello!", into: 5) == "hell…")
    #expect(DisplayWidth.fit("世界世", into: 4) == "世…")
    #expect(DisplayWidth.fit("a", into: 0).isEmpty)
  }
}
