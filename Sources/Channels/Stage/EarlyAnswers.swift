import ParleyProtocol

/// The answers to calls that wait for a stage's attachment, or for events of another home than it is
/// attached to.
struct EarlyAnswers: Sendable {
  private struct Answer: Sendable {
    let address: ReplyAddress
    let outcome: CallOutcome
    /// The last event before it.
    var seq: Int64
  }

  private var answers: [Answer] = []

  var isEmpty: Bool { answers.isEmpty }

  /// Keeps an answer of a home of which the stage may not have heard, and whose events come later.
  mutating func append(_ outcome: CallOutcome, to address: ReplyAddress, after seq: Int64) {
    answers.append(Answer(address: address, outcome: outcome, seq: seq))
  }

  /// Keeps the answers in news of an attachment that has ended: the calls were carried out, and the events
  /// before them are known when the stage is attached again.
  mutating func append(of news: some Sequence<StageNews>) {
    for case .answer(let address, let outcome) in news { append(outcome, to: address, after: 0) }
  }

  /// Waits for no events: positions in another epoch mean nothing.
  mutating func forgetPositions() {
    for index in answers.indices { answers[index].seq = 0 }
  }

  /// Takes out the answers whose events are all known.
  mutating func take(upTo seq: Int64) -> [(address: ReplyAddress, outcome: CallOutcome)] {
    let due = answers.filter { $0.seq <= seq }
    answers.removeAll { $0.seq <= seq }
    return due.map { ($0.address, $0.outcome) }
  }
}
