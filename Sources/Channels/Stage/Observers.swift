/// The connections that hear a channel and are not in it, with the events of the turn for them.
///
/// They are few, and each event is sent to them one by one: the deliveries to participants know
/// nothing of them.
struct Observers: Sendable {
  /// Observers of one stage, at most.
  static let limit = 100

  private(set) var sessions: [SessionAddress] = []
  private var events: [[UInt8]] = []

  var isEmpty: Bool { sessions.isEmpty }

  /// Whether events wait for the end of the turn.
  var awaitsEndOfTurn: Bool { !events.isEmpty }

  /// Adds an observer, which hears the events from now on.
  ///
  /// - Returns: Whether there was room, or it is one already.
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

  /// Takes all observers out.
  mutating func removeAll() -> [SessionAddress] {
    defer { self = Observers() }
    return sessions
  }

  /// Queues an event for the end of the turn.
  mutating func append(_ event: [UInt8]) {
    if !sessions.isEmpty { events.append(event) }
  }

  /// Hands the events over.
  mutating func flush(into actions: inout StageActions) {
    guard !events.isEmpty else { return }
    for (shard, group) in Dictionary(grouping: sessions, by: \.shard) {
      for event in events { actions.append(.notify(event, group, shard: Int(shard))) }
    }
    events = []
  }
}
