internal import LoadGenerator

/// One line on a terminal, written again each time; elsewhere nothing.
final class LoadProgressLine {
  private let isShown: Bool
  private var isOpen = false

  init(isShown: Bool) {
    self.isShown = isShown
  }

  func show(_ progress: LoadProgress) {
    guard isShown else { return }
    let text = DisplayWidth.fit(LiveLine.text(progress), into: Terminal.size.columns - 1)
    Terminal.write("\r\(text)\u{1b}[K")
    isOpen = true
  }

  /// Takes the line away.
  func end() {
    guard isOpen else { return }
    Terminal.write("\r\u{1b}[K")
    isOpen = false
  }
}
