import ParleyProtocol

/// The answers to calls that wait for a stage's attachment, or for events of a home other than the
/// attached one.
struct EarlyAnswers: Sendable {
  private struct Answer: Sendable {
    let address: ReplyAddress
    let outcome: CallOutcome
    /// The last event before the answer.
    var seq: Int64
  }

  private var answers: [Answer] = []

  var isEmpty: Bool { answers.isEmpty }

  /// Stores an answer of a home that may be unknown to the stage, and whose events arrive later.
  mutating func append(_ outcome: CallOutcome, to address: ReplyAddress, after seq: Int64) {
    answers.append(Answer(address: address, outcome: outcome, seq: seq))
  }

  /// Stores the answers in news of an ended attachment: the calls were carried out, and the events
  /// before them are known once the stage is attached again.
  mutating func append(of news: some Sequence<StageNews>) {
    for case .answer(let address, let outcome) in news { append(outcome, to: address, after: 0) }
  }

  /// Stops waiting for events: positions in another epoch are meaningless.
  mutating func forgetPositions() {
    for index in answers.indices { answers[index].seq = 0 }
  }

  /// Removes and returns the answers whose events are all known.
  mutating func take(upTo seq: Int64) -> [(address: ReplyAddress, outcome: CallOutcome)] {
    let due = answers.filter { $0.seq <= seq }
    answers.removeAll { $0.seq <= seq }
    return due.map { ($0.address, $0.outcome) }
  }
}
