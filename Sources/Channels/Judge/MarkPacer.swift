import FloodControl
import ParleyProtocol

/// A member's mark of messages as read or unread, or several that are carried out as one.
struct ReadMark: Sendable {
  let userID: String
  private(set) var change: OwnChange
  /// The calls that are answered with the result, in the order of their arrival.
  private(set) var calls: [CallID]
  /// The connections of the calls.
  private(set) var sessions: [SessionAddress]

  init(_ change: OwnChange, of userID: String, _ call: CallID, on session: SessionAddress? = nil) {
    self.change = change
    self.userID = userID
    self.calls = [call]
    self.sessions = session.map { [$0] } ?? []
  }

  /// One mark with the effect of this one and a later one; `nil` if both are needed.
  fileprivate func followed(by next: ReadMark) -> ReadMark? {
    var joined = next
    switch (change, next.change) {
    case (.markRead(let id), .markRead(let nextID)):
      // Message ids rise, and without one all messages are read.
      joined.change = .markRead(upTo: id.flatMap { id in nextID.map { max(id, $0) } })
    case (_, .markUnread): break
    case (_, _): return nil
    }
    joined.calls = calls + next.calls
    joined.sessions = sessions.filter { !next.sessions.contains($0) } + next.sessions
    return joined
  }
}

/// The pace of the members' marks: each member has three a second carried out at once.
///
/// Those beyond it wait until there is room, at most a second. A mark as unread replaces the waiting
/// marks of its member, and marks as read become one, so at most two of a member wait. Pure: times are
/// milliseconds of one clock.
///
///     read 3   read 4   read 5 │ read 6, read 8, read 7: waits as read 8
struct MarkPacer: Sendable {
  static let pace = RateLimit(count: Limits.readMarksPerSecond, windowMilliseconds: 1_000)

  /// The waiting marks of a member: at most one as unread, and one as read after it.
  private struct Line: Sendable {
    private(set) var marks: [ReadMark] = []
    /// The time at which there is room for the first.
    var due: Int64

    var isEmpty: Bool { marks.isEmpty }

    mutating func add(_ mark: ReadMark) {
      var mark = mark
      while let last = marks.last, let joined = last.followed(by: mark) {
        marks.removeLast()
        mark = joined
      }
      marks.append(mark)
    }

    mutating func removeFirst() -> ReadMark { marks.removeFirst() }
  }

  private var gate = FloodGate<String>()
  private var lines: [String: Line] = [:]
  /// The time of the next ``takeDue(at:)``; `nil` if no mark waits.
  private(set) var due: Int64?

  var isEmpty: Bool { lines.isEmpty }

  /// Counts a mark.
  ///
  /// - Returns: Whether it is carried out now; otherwise it waits.
  mutating func admit(_ mark: ReadMark, at now: Int64) -> Bool {
    guard lines[mark.userID] == nil else {
      lines[mark.userID]?.add(mark)
      return false
    }
    guard let refusal = gate.admit(mark.userID, at: now, limit: Self.pace) else { return true }
    let time = now + refusal.wait
    var line = Line(due: time)
    line.add(mark)
    lines[mark.userID] = line
    due = min(due ?? time, time)
    return false
  }

  /// Removes and returns the marks for which there is room, those of a member in their order.
  mutating func takeDue(at now: Int64) -> [ReadMark] {
    guard let due, due <= now else { return [] }
    var taken: [ReadMark] = []
    for (userID, line) in lines where line.due <= now {
      var line = line
      while !line.isEmpty {
        if let refusal = gate.admit(userID, at: now, limit: Self.pace) {
          line.due = now + refusal.wait
          break
        }
        taken.append(line.removeFirst())
      }
      lines[userID] = line.isEmpty ? nil : line
    }
    self.due = lines.values.lazy.map(\.due).min()
    return taken
  }

  /// Removes and returns all waiting marks, those of a member in their order.
  mutating func takeAll() -> [ReadMark] {
    defer { (lines, due) = ([:], nil) }
    return lines.values.flatMap(\.marks)
  }
}
