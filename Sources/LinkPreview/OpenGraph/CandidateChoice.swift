/// What to think of one of several candidates for a member.
enum CandidateChoice<Value> {
  /// The value, and the place where it stood.
  case usable(Value, String)
  /// Why it cannot be used, in words that go with "the first is".
  case unusable(String)

  /// The first usable candidate, with a note when others were passed over.
  static func first<Candidate>(
    of candidates: [Candidate], _ rank: PreviewRank, judge: (Candidate) -> CandidateChoice
  ) -> Sourced<Value>? {
    var firstReason: String?
    for (index, candidate) in candidates.enumerated() {
      switch judge(candidate) {
      case .usable(let value, let place):
        let note = firstReason.map { " (candidate \(index + 1); the first is \($0))" } ?? ""
        return Sourced(value, rank, place + note)
      case .unusable(let reason): firstReason = firstReason ?? reason
      }
    }
    return nil
  }
}
