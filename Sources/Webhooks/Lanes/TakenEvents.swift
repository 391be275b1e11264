/// The events that receivers have taken and that the store may not have noted.
///
/// The outbox is read from time to time, in a state that may be older than the last progress: what
/// was taken since must not be posted again.
struct TakenEvents {
  private struct Mark {
    var eventID: Int64
    /// Whether the store has noted it since the reading under way was begun.
    var isNoted = false
  }

  private var marks: [DeliveryPath: Mark] = [:]
  private var isReading = false

  /// The last event that a path's receiver has taken, if the store may not know it.
  subscript(path: DeliveryPath) -> Int64? { marks[path]?.eventID }

  var paths: some Collection<DeliveryPath> { marks.keys }

  mutating func didTake(_ path: DeliveryPath, through eventID: Int64) {
    marks[path] = Mark(eventID: max(eventID, marks[path]?.eventID ?? .min))
  }

  /// Takes note that the store knows that a path has got as far as an event.
  mutating func didNote(_ path: DeliveryPath, through eventID: Int64) {
    guard let mark = marks[path], mark.eventID <= eventID else { return }
    if isReading { marks[path]?.isNoted = true } else { marks[path] = nil }
  }

  /// Whether the store has yet to note something of a path.
  func isPending(_ path: DeliveryPath) -> Bool { marks[path].map { !$0.isNoted } ?? false }

  mutating func beginReading() { isReading = true }

  /// Ends a reading whose outcome has been used.
  mutating func endReading() {
    isReading = false
    marks = marks.filter { !$0.value.isNoted }
  }

  mutating func removeAll(where isLost: (DeliveryPath) -> Bool) {
    marks = marks.filter { !isLost($0.key) }
  }
}
