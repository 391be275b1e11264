/// The connections that observe a channel without being in it, with the events of the turn for them.
///
/// There are few observers, and each event is sent to them individually: the deliveries to
/// participants do not include them.
struct Observers: Sendable {
  /// The maximum number of observers of one stage.
  static let limit = 100

  private(set) var sessions: [SessionAddress] = []
  private var events: [[UInt8]] = []

  var isEmpty: Bool { sessions.isEmpty }

  /// Whether events wait for the end of the turn.
  var awaitsEndOfTurn: Bool { !events.isEmpty }

  /// Adds an observer, which receives events from now on.
  ///
  /// - Returns: Whether there was room, or the session is already an observer.
  mutating func add(_ session: SessionAddress) -> Bool {
    guard !sessions.contains(session) else { return true }
    guard sessions.count < Self.limit else { return false }
    sessions.append(session)
    return true
  }

  mutating func remove(_ session: SessionAddress) {
    sessions.removeAll { $0 == session }
    if sessions.isEmpty { events = [] }
  }

  /// Removes and returns all observers.
  mutating func removeAll() -> [SessionAddress] {
    defer { self = Observers() }
    return sessions
  }

  /// Queues an event for the end of the turn.
  mutating func append(_ event: [UInt8]) {
    if !sessions.isEmpty { events.append(event) }
  }

  /// Sends the queued events.
  mutating func flush(into actions: inout StageActions) {
    guard !events.isEmpty else { return }
    actions.notify(sessions, events)
    events = []
  }
}
