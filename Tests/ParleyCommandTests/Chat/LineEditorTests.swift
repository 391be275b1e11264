import Testing

@testable import parley

@Suite("A line being edited")
struct LineEditorTests {
  private func type(_ text: String, _ keys: Key..., into editor: inout LineEditor) {
    for character in text { _ = editor.press(.text(character)) }
    for key in keys { _ = editor.press(key) }
  }

  @Test("is changed at the cursor")
  func editing() {
    var editor = LineEditor()
    type("helo", .left, into: &editor)
    type("l", .end, into: &editor)
    #expect(editor.text == "hello")
    type(" big world", .deleteWord, .backspace, into: &editor)
    #expect(editor.text == "hello big")
    type("", .home, .delete, .right, .deleteToEnd, into: &editor)
    #expect(editor.text == "e")
    type("", .deleteToStart, into: &editor)
    #expect(editor.text.isEmpty)
  }

  @Test("is returned and added to the history")
  func history() {
    var editor = LineEditor()
    type("one", .enter, into: &editor)
    type("two", into: &editor)
    #expect(editor.press(.enter) == .submitted("two"))
    type("", .up, .up, into: &editor)
    #expect(editor.text == "one")
    type("", .up, .down, into: &editor)
    #expect(editor.text == "two")
    type("", .down, into: &editor)
    #expect(editor.text.isEmpty)
  }

  @Test("ends the chat with Ctrl-C, and with Ctrl-D when it is empty")
  func ends() {
    var editor = LineEditor()
    #expect(editor.press(.endOfInput) == .ended)
    type("a", .left, into: &editor)
    #expect(editor.press(.endOfInput) == .changed)
    #expect(editor.text.isEmpty)
    #expect(editor.press(.interrupt) == .ended)
  }

  @Test("shows the part around its cursor when it is too long")
  func window() {
    var editor = LineEditor()
    type("abcdefghij", into: &editor)
    #expect(editor.window(width: 5) == ("ghij", 4))
    type("", .home, into: &editor)
    #expect(editor.window(width: 5) == ("abcd", 0))
    var wide = LineEditor()
    type("世界世界", into: &wide)
    #expect(wide.window(width: 5) == ("世界", 4))
  }

  @Test("accepts an offered text only when nothing is typed")
  func offer() {
    var editor = LineEditor()
    #expect(editor.offer("again") == .changed)
    #expect(editor.press(.backspace) == .changed && editor.text == "agai")
    #expect(editor.offer("other") == .unchanged && editor.text == "agai")
  }

  @Test("does not grow beyond the length limit of a message")
  func limit() {
    var editor = LineEditor()
    for _ in 0..<LineEditor.limit { _ = editor.press(.text("x")) }
    #expect(editor.press(.text("x")) == .unchanged)
    #expect(editor.text.count == LineEditor.limit)
  }
}
