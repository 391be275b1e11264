/// The events that receivers have received and that the store may not have recorded.
///
/// The outbox is read periodically, in a state that may be older than the last progress: events received
/// since must not be posted again.
struct TakenEvents {
  private struct Mark {
    var eventID: Int64
    /// Whether the store has recorded it since the current read was started.
    var isNoted = false
  }

  private var marks: [DeliveryPath: Mark] = [:]
  private var isReading = false

  /// The last event that a path's receiver has received, if the store may not have recorded it.
  subscript(path: DeliveryPath) -> Int64? { marks[path]?.eventID }

  var paths: some Collection<DeliveryPath> { marks.keys }

  mutating func didTake(_ path: DeliveryPath, through eventID: Int64) {
    marks[path] = Mark(eventID: max(eventID, marks[path]?.eventID ?? .min))
  }

  /// Records that the store knows a path's progress up to an event.
  mutating func didNote(_ path: DeliveryPath, through eventID: Int64) {
    guard let mark = marks[path], mark.eventID <= eventID else { return }
    if isReading { marks[path]?.isNoted = true } else { marks[path] = nil }
  }

  /// Whether the store has not recorded a path's progress yet.
  func isPending(_ path: DeliveryPath) -> Bool { marks[path].map { !$0.isNoted } ?? false }

  mutating func beginReading() { isReading = true }

  /// Ends a read whose outcome has been used.
  mutating func endReading() {
    isReading = false
    marks = marks.filter { !$0.value.isNoted }
  }

  mutating func removeAll(where isLost: (DeliveryPath) -> Bool) {
    marks = marks.filter { !isLost($0.key) }
  }
}
