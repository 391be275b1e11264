/// A key that was pressed in a terminal.
enum Key: Equatable {
  case text(Character)
  case enter
  case backspace
  case delete
  case left
  case right
  case up
  case down
  case home
  case end
  /// Ctrl-W: the word before the cursor goes.
  case deleteWord
  /// Ctrl-U: everything before the cursor goes.
  case deleteToStart
  /// Ctrl-K: everything behind the cursor goes.
  case deleteToEnd
  /// Ctrl-C
  case interrupt
  /// Ctrl-D
  case endOfInput
  /// Ctrl-L
  case redraw
}
