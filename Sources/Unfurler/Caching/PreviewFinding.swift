/// An entry that may be shown, and whether it wants to be asked for again.
enum PreviewFinding: Sendable, Hashable {
  /// Whether whoever found a stale entry is the one to refresh it.
  enum Refresh: Sendable, Hashable {
    /// Nobody has begun: begin now, nobody else is told to for a while.
    case due
    /// Somebody has, or it failed a short while ago.
    case underWay
  }

  case fresh(PreviewEntry)
  /// A preview past its time.
  case stale(PreviewEntry, Refresh)

  /// An entry that memory doesn't hold, and whose refreshes therefore nobody counts.
  init?(_ entry: PreviewEntry, at now: Int64) {
    switch entry.age(at: now) {
    case .fresh: self = .fresh(entry)
    case .stale: self = .stale(entry, .due)
    case .gone: return nil
    }
  }

  var entry: PreviewEntry {
    switch self {
    case .fresh(let entry), .stale(let entry, _): entry
    }
  }
}
