import DequeModule

/// Sends that wait for additions, and later sends of the same connections.
///
/// Each connection has a line: its sends to the channel are submitted in order of arrival. A send
/// without a connection stands alone. A pure value; times are milliseconds of the steady clock.
///
///     connection 1   photo (waits)   text   text
///     connection 2   photo (waits until 10:15:02)
///     Platform API   photo (all is there, and leaves)
struct WaitingSends<Send: Sendable>: Sendable {
  /// Numbers the sends in order of arrival.
  typealias ID = Int64

  private struct Entry: Sendable {
    var send: Send
    let line: Line
    /// Whether the app's back end has not answered about the send.
    var isAsked = false
    /// The additions that have not arrived.
    var missing: Set<EnrichmentID>
    /// The time after which it no longer waits for additions.
    var deadline: Int64
    /// The time before which it is not submitted, whatever has arrived.
    var earliest = Int64.min

    func isDue(at now: Int64) -> Bool {
      !isAsked && (missing.isEmpty || deadline <= now) && earliest <= now
    }

    /// The time at which it is submitted if no addition arrives; `nil` while that is not known.
    var time: Int64? { isAsked ? nil : missing.isEmpty ? earliest : max(deadline, earliest) }
  }

  private enum Line: Hashable, Sendable {
    case connection(SessionAddress)
    case alone(ID)
  }

  private var entries: [ID: Entry] = [:]
  private var lines: [Line: Deque<ID>] = [:]
  private var waiters: [EnrichmentID: ID] = [:]
  private var lastID: ID = 0

  var isEmpty: Bool { entries.isEmpty }

  var count: Int { entries.count }

  /// Whether a connection has waiting sends.
  func hasLine(of session: SessionAddress?) -> Bool {
    session.map { lines[.connection($0)] != nil } ?? false
  }

  /// The next send of a connection to submit.
  func first(of session: SessionAddress?) -> ID? {
    session.flatMap { lines[.connection($0)]?.first }
  }

  /// Adds a send to the end of its connection's line.
  ///
  /// - Parameters:
  ///   - missing: The additions that it waits for.
  ///   - deadline: The time at which it is submitted without them, if it is first in line.
  mutating func add(
    _ send: Send, of session: SessionAddress?, missing: [EnrichmentID], until deadline: Int64
  ) {
    lastID += 1
    let line = session.map(Line.connection) ?? .alone(lastID)
    entries[lastID] = Entry(
      send: send, line: line, missing: Set(missing), deadline: deadline)
    lines[line, default: []].append(lastID)
    for id in missing { waiters[id] = lastID }
  }

  /// Adds a send that the app's back end is asked about to the end of its connection's line.
  mutating func addAsked(_ send: Send, of session: SessionAddress?) -> ID {
    add(send, of: session, missing: [], until: .min)
    entries[lastID]?.isAsked = true
    return lastID
  }

  /// Whether the app's back end has not answered about a send.
  func isAsked(_ id: ID) -> Bool { entries[id]?.isAsked ?? false }

  /// Whether the app's back end has not answered about a send, or an earlier one of its line.
  func awaitsAnswer(_ id: ID) -> Bool {
    guard let line = entries[id]?.line, let ids = lines[line] else { return false }
    return ids.contains { $0 <= id && isAsked($0) }
  }

  /// Records the answer about a send, which may wait for additions now.
  mutating func answered(_ id: ID, _ send: Send, missing: [EnrichmentID], until deadline: Int64) {
    entries[id]?.isAsked = false
    entries[id]?.send = send
    entries[id]?.missing = Set(missing)
    entries[id]?.deadline = deadline
    for addition in missing { waiters[addition] = id }
  }

  /// Records that an addition has arrived, or will not arrive.
  mutating func arrived(_ id: EnrichmentID) {
    guard let waiter = waiters.removeValue(forKey: id) else { return }
    entries[waiter]?.missing.remove(id)
  }

  /// The oldest send that may be submitted now: first in its line, with all additions or out of time.
  func due(at now: Int64) -> ID? {
    lines.values.compactMap(\.first).filter { entries[$0]?.isDue(at: now) == true }.min()
  }

  subscript(id: ID) -> Send? { entries[id]?.send }

  /// Holds a send until a time, even if all additions have arrived.
  mutating func postpone(_ id: ID, until time: Int64) { entries[id]?.earliest = time }

  /// Removes and returns a send.
  mutating func remove(_ id: ID) -> Send? {
    guard let entry = entries.removeValue(forKey: id) else { return nil }
    lines[entry.line]?.removeAll { $0 == id }
    if lines[entry.line]?.isEmpty == true { lines[entry.line] = nil }
    for addition in entry.missing { waiters[addition] = nil }
    return entry.send
  }

  /// All sends, in order of arrival.
  var all: [ID] { entries.keys.sorted() }

  /// The time at which the next send is submitted if no addition arrives; `nil` if none waits.
  var wakeTime: Int64? {
    lines.values.compactMap { $0.first.flatMap { entries[$0]?.time } }.min()
  }
}
