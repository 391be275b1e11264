import Cluster
import Logging

/// Reports bus problems to operators once: that the bus goes down and comes back, and, at most once
/// a minute each, that messages on the bus were dropped and that servers of other deployments use
/// it.
struct ClusterWarnings {
  struct Line: Equatable {
    var level: Logger.Level
    var text: String
    var metadata: [String: String]
  }

  /// The state of a bus that was never up, which is not a fault.
  private static let beginning = "starting"
  private static let pause: Int64 = 60_000

  private var fault: String? = beginning
  private var noted = ClusterTraffic()
  /// The beats per minute from servers missing in the registry that indicate a fault: a server that
  /// starts or ends causes a few.
  private static let strangeBeats: UInt64 = 20

  private var nextNote = Int64.min
  private var nextNoteOfForeigners = Int64.min
  private var minute = (end: Int64.min, strangeBeats: UInt64(0))

  /// - Parameter now: Milliseconds of the steady clock.
  mutating func take(_ figures: ClusterFigures, at now: Int64) -> [Line] {
    busLines(figures.busFault) + droppedLines(figures.traffic, at: now)
      + foreignLines(figures.traffic, at: now) + strangerLines(figures.traffic, at: now)
  }

  private mutating func foreignLines(_ traffic: ClusterTraffic, at now: Int64) -> [Line] {
    let count = traffic.foreignFrames - noted.foreignFrames
    guard count > 0, now >= nextNoteOfForeigners, let other = traffic.foreignDeployment else {
      return []
    }
    noted.foreignFrames = traffic.foreignFrames
    nextNoteOfForeigners = now + Self.pause
    return [
      Line(
        level: .error,
        text: "another deployment, with another database, uses this bus under the same "
          + "cluster.name; its messages are dropped: give one of them another name",
        metadata: [
          "deployment": ClusterNode.name(ofDeployment: other), "messages": "\(count)",
        ])
    ]
  }

  private mutating func strangerLines(_ traffic: ClusterTraffic, at now: Int64) -> [Line] {
    guard now >= minute.end else { return [] }
    let count = traffic.strangeBeats - minute.strangeBeats
    let isFirst = minute.end == .min
    minute = (now + Self.pause, traffic.strangeBeats)
    guard !isFirst, count >= Self.strangeBeats else { return [] }
    return [
      Line(
        level: .error,
        text: "servers that are not in this database use this bus under the same cluster.name; "
          + "is their database a copy of this one? Give one of them another name",
        metadata: ["beats": "\(count)"])
    ]
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
    noted.forgedFrames = traffic.forgedFrames
    noted.otherVersionFrames = traffic.otherVersionFrames
    noted.malformedFrames = traffic.malformedFrames
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
