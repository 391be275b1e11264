extension String {
  /// The text with spaces behind it, for columns.
  func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - DisplayWidth.of(self)))
  }
}
