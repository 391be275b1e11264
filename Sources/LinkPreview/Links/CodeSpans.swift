/// Finds the ends of code spans: a run of backticks is closed by the next one of the same length
/// (CommonMark §6.1).
///
/// Runs of one and two are closed within their paragraph. Longer ones, with which people open a
/// block behind a word, are closed anywhere.
struct CodeSpans {
  private static let longestRun = 64

  /// Up to where it is known, for each length of run, that none closes: so that hopeless searches
  /// are not made again and again.
  private var searched = [Int](repeating: 0, count: Self.longestRun + 1)

  /// Where the text goes on behind the run at `start`: behind the code span that it opens, or just
  /// behind the run when nothing closes it.
  mutating func end(ofRunAt start: Int, in text: LinkText) -> Int {
    let runEnd = text.end(from: start) { $0 == "`" }
    let length = runEnd - start
    guard length <= Self.longestRun, searched[length] <= start else { return runEnd }
    var index = runEnd
    while index < text.count {
      if text[index] == "`" {
        let end = text.end(from: index) { $0 == "`" }
        if end - index == length { return end }
        index = end
      } else if length < 3, text[index] == "\n", Paragraphs.end(at: index, in: text) {
        break
      } else {
        index += 1
      }
    }
    searched[length] = index
    return runEnd
  }
}
