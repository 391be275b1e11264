import Channels

/// Sessions in the order in which they were added.
///
/// A single session, which is what most users have, needs no separate memory.
enum SessionList {
  case one(SessionAddress)
  /// None, or several.
  case several([SessionAddress])

  /// No sessions.
  init() { self = .several([]) }

  /// All sessions, oldest first.
  var all: [SessionAddress] {
    switch self {
    case .one(let session): [session]
    case .several(let sessions): sessions
    }
  }

  var count: Int {
    switch self {
    case .one: 1
    case .several(let sessions): sessions.count
    }
  }

  var isEmpty: Bool { count == 0 }

  func contains(_ session: SessionAddress) -> Bool {
    switch self {
    case .one(let only): only == session
    case .several(let sessions): sessions.contains(session)
    }
  }

  mutating func append(_ session: SessionAddress) {
    self = isEmpty ? .one(session) : .several(all + [session])
  }

  /// Inserts a session in order.
  ///
  /// - Parameter isEarlier: Whether an existing session comes before the new one.
  mutating func insert(_ session: SessionAddress, after isEarlier: (SessionAddress) -> Bool) {
    var sessions = all.filter { $0 != session }
    sessions.insert(session, at: sessions.firstIndex { !isEarlier($0) } ?? sessions.count)
    self = sessions.count == 1 ? .one(session) : .several(sessions)
  }

  mutating func remove(_ session: SessionAddress) {
    guard contains(session) else { return }
    let rest = all.filter { $0 != session }
    self = rest.count == 1 ? .one(rest[0]) : .several(rest)
  }
}
