import DequeModule

/// The jobs whose recipients are being read from the store.
///
/// Several are read at a time, and they are released in the order of the jobs, so that the pushes to one
/// device keep the order of the messages.
struct PushExpansions<Content> {
  private enum State {
    case reading
    case done(Content)
    /// The job is not continued.
    case dropped
  }

  private var slots: Deque<(jobID: Int64, state: State)> = []

  var count: Int { slots.count }

  mutating func begin(_ jobID: Int64) { slots.append((jobID, .reading)) }

  mutating func finish(_ jobID: Int64, with content: Content) { set(jobID, .done(content)) }

  mutating func drop(_ jobID: Int64) { set(jobID, .dropped) }

  mutating func drop(where isDropped: (_ jobID: Int64) -> Bool) {
    for index in slots.indices where isDropped(slots[index].jobID) { slots[index].state = .dropped }
  }

  /// Removes the first job if its recipients are known.
  mutating func next() -> (jobID: Int64, content: Content)? {
    while let first = slots.first {
      switch first.state {
      case .reading: return nil
      case .dropped: slots.removeFirst()
      case .done(let content):
        slots.removeFirst()
        return (first.jobID, content)
      }
    }
    return nil
  }

  /// Ignores jobs that were dropped meanwhile.
  private mutating func set(_ jobID: Int64, _ state: State) {
    guard let index = slots.firstIndex(where: { $0.jobID == jobID }),
      case .reading = slots[index].state
    else { return }
    slots[index].state = state
  }
}
