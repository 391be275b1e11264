import Cluster
import Logging

/// Notices what operators have to know of the bus, and says it once: that it goes down and comes back,
/// and, at most once a minute, that messages on it were dropped.
struct ClusterWarnings {
  struct Line: Equatable {
    var level: Logger.Level
    var text: String
    var metadata: [String: String]
  }

  /// The state of a bus that was never up, which is no fault yet.
  private static let beginning = "starting"
  private static let pause: Int64 = 60_000

  private var fault: String? = beginning
  private var noted = ClusterTraffic()
  private var nextNote = Int64.min

  /// - Parameter now: Milliseconds of the steady clock.
  mutating func take(_ figures: ClusterFigures, at now: Int64) -> [Line] {
    busLines(figures.busFault) + droppedLines(figures.traffic, at: now)
  }

  private mutating func busLines(_ new: String?) -> [Line] {
    guard new != fault, new != Self.beginning else { return [] }
    let old = fault
    fault = new
    switch new {
    case let reason?:
      return [Line(level: .warning, text: "the bus is down", metadata: ["reason": reason])]
    case nil where old == Self.beginning: return []
    case nil: return [Line(level: .notice, text: "the bus is up", metadata: [:])]
    }
  }

  private mutating func droppedLines(_ traffic: ClusterTraffic, at now: Int64) -> [Line] {
    let counts = [
      "forged": traffic.forgedFrames - noted.forgedFrames,
      "of_other_versions": traffic.otherVersionFrames - noted.otherVersionFrames,
      "malformed": traffic.malformedFrames - noted.malformedFrames,
    ].filter { $0.value > 0 }
    guard !counts.isEmpty, now >= nextNote else { return [] }
    noted = traffic
    nextNote = now + Self.pause
    return [
      Line(
        level: .warning,
        text: "messages on the bus were dropped: another program writes there, or servers differ "
          + "in cluster.secret or version",
        metadata: counts.mapValues { "\($0)" })
    ]
  }
}
