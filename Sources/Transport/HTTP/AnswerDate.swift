internal import Basics

/// The value of `Date` in answers, which is formatted once a second (RFC 9110 §6.6.1).
struct AnswerDate {
  private var second = Int64.min
  private var value = ""

  /// - Parameter time: Unix milliseconds.
  mutating func text(at time: Int64) -> String {
    let second = time / 1_000
    if second != self.second {
      self.second = second
      value = HTTPDate(seconds: second).text
    }
    return value
  }
}
