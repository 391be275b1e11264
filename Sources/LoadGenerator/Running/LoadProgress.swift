/// How a run stands, once a second.
package struct LoadProgress: Sendable {
  package enum Phase: Sendable, Hashable {
    case connecting
    case warmUp
    case measuring
    case draining
  }

  package let phase: Phase
  /// Seconds of the load, and how many there will be; 0 before it begins.
  package let seconds: Double
  package let totalSeconds: Double
  package let members: Int
  package let counters: LoadCounters
  /// The latest stretch; `nil` before the load begins.
  package let point: TimelinePoint?
}

/// Why there was no run, or none to its end.
package enum LoadFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The limit on this process's descriptors is too low.
  case tooFewDescriptors(needed: Int, limit: Int)
  case systemFailed(String)
  /// Connections could not be made; the first reasons.
  case notConnected(missing: Int, reasons: [String])

  package var description: String {
    switch self {
    case .tooFewDescriptors(let needed, let limit):
      "\(needed) descriptors are needed, and the limit of a process is \(limit): raise the limit "
        + "(ulimit -n) or use fewer connections"
    case .systemFailed(let reason): reason
    case .notConnected(let missing, let reasons):
      "\(missing) connections could not be made"
        + (reasons.isEmpty ? " in time" : ": \(reasons.joined(separator: "; "))")
    }
  }
}
