/// Takes the first usable of several candidates, and remembers why the others were not.
struct CandidateChoice {
  private let rank: PreviewRank
  private var passedOver = 0
  private var reason: String?

  init(_ rank: PreviewRank) { self.rank = rank }

  /// Notes a candidate that cannot be used; the first one's reason is told.
  mutating func passOver(_ reason: String) {
    passedOver += 1
    if self.reason == nil { self.reason = reason }
  }

  /// The value with its source, and a note when it was not the first candidate.
  func take<Value>(_ value: Value, from place: String) -> Sourced<Value> {
    let note = reason.map { " (candidate \(passedOver + 1); the first is \($0))" } ?? ""
    return Sourced(value, rank, place + note)
  }
}
