import ParleyProtocol

/// The members of a group who have read further since the others were last notified, at most once a
/// second.
///
/// Pure: times are milliseconds of one clock.
struct ReadMoves: Sendable {
  private var moves: [String: Event.Read] = [:]
  private var pacer = NoticePacer()

  /// Whether everyone has been notified of all moves.
  var isIdle: Bool { moves.isEmpty }

  mutating func note(_ read: Event.Read, at now: Int64) {
    moves[read.userID] = read
    pacer.noteChange(at: now)
  }

  /// The time of the next ``take(at:)``; `nil` if there is nothing to take.
  var due: Int64? { pacer.due }

  /// Removes and returns the moves of the last second, if a notice is due: of each member the newest.
  mutating func take(at now: Int64) -> [Event.Read] {
    guard let due = pacer.due, due <= now else { return [] }
    pacer.noteSent(at: now)
    defer { moves = [:] }
    return moves.values.sorted { ($0.readAt, $0.userID) < ($1.readAt, $1.userID) }
  }
}
