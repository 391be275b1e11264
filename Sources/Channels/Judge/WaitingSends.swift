import DequeModule

/// Sends that wait for additions, and those behind them of the same connections.
///
/// Each connection has a line: what it sends to the channel leaves in the order in which it came. A
/// send without a connection stands alone. A pure value; times are milliseconds of the steady clock.
///
///     connection 1   photo (waits)   text   text
///     connection 2   photo (waits until 10:15:02)
///     Platform API   photo (all is there, and leaves)
struct WaitingSends<Send: Sendable>: Sendable {
  /// Numbers the sends in the order in which they came.
  typealias ID = Int64

  private struct Entry: Sendable {
    let send: Send
    let line: Line
    /// The additions that have not come.
    var missing: Set<EnrichmentID>
    /// When it no longer waits for additions.
    let deadline: Int64
    /// Before this time it does not leave, whatever has come.
    var earliest = Int64.min

    func isDue(at now: Int64) -> Bool { (missing.isEmpty || deadline <= now) && earliest <= now }

    /// The time at which it leaves if nothing else comes.
    var time: Int64 { missing.isEmpty ? earliest : max(deadline, earliest) }
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

  /// Whether a connection has sends that wait.
  func hasLine(of session: SessionAddress?) -> Bool {
    session.map { lines[.connection($0)] != nil } ?? false
  }

  /// The send of a connection that is to leave first.
  func first(of session: SessionAddress?) -> ID? {
    session.flatMap { lines[.connection($0)]?.first }
  }

  /// Adds a send to the end of its connection's line.
  ///
  /// - Parameters:
  ///   - missing: The additions that it waits for.
  ///   - deadline: When it leaves without them, if it is the first.
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

  /// Takes note that an addition has come, or is not going to.
  mutating func arrived(_ id: EnrichmentID) {
    guard let waiter = waiters.removeValue(forKey: id) else { return }
    entries[waiter]?.missing.remove(id)
  }

  /// The oldest send that may leave now: the first of its line, with all additions or out of time.
  func due(at now: Int64) -> ID? {
    lines.values.compactMap(\.first).filter { entries[$0]?.isDue(at: now) == true }.min()
  }

  subscript(id: ID) -> Send? { entries[id]?.send }

  /// Keeps a send until a time, even if all has come.
  mutating func postpone(_ id: ID, until time: Int64) { entries[id]?.earliest = time }

  /// Takes a send out.
  mutating func remove(_ id: ID) -> Send? {
    guard let entry = entries.removeValue(forKey: id) else { return nil }
    lines[entry.line]?.removeAll { $0 == id }
    if lines[entry.line]?.isEmpty == true { lines[entry.line] = nil }
    for addition in entry.missing { waiters[addition] = nil }
    return entry.send
  }

  /// All sends, in the order in which they came.
  var all: [ID] { entries.keys.sorted() }

  /// The time at which the next one leaves if nothing else comes; `nil` when none waits.
  var wakeTime: Int64? {
    lines.values.compactMap { $0.first.flatMap { entries[$0]?.time } }.min()
  }
}
