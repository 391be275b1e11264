/// What is done with an answer beside giving it to those who wait.
enum AnswerDisposition {
  case keep
  /// The link was purged while the answer was on its way.
  case discard
}
