internal import Glibc

/// A line each time, for files and pipes.
final class PlainLoadLines: LoadScreen {
  private static let linesPerHeading = 20

  private var count = 0

  func wait(seconds: Int) -> Bool {
    sleep(UInt32(clamping: seconds))
    return true
  }

  func show(_ text: LoadText) {
    if count % Self.linesPerHeading == 0 { Terminal.write(LoadText.heading + "\n") }
    count += 1
    Terminal.write(text.line + "\n")
  }

  func end() {}
}
