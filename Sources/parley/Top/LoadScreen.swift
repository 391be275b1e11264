/// Where the load is shown.
protocol LoadScreen {
  /// Lets time pass.
  ///
  /// - Returns: Whether to go on.
  func wait(seconds: Int) -> Bool
  /// Shows the load.
  func show(_ text: LoadText)
  /// Leaves everything as it was.
  func end()
}
