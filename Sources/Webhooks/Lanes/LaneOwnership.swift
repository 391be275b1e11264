package import Cluster
package import Store

/// Decides which lanes of the outbox this server claims, delivers and lets go.
///
/// The ring names one server for each lane. That server claims the lane in the database when its row
/// is free, when the owner in the row is gone, or when the owner has not let go in time. A server that
/// the ring no longer names begins no more requests, and frees the row when those under way have
/// ended. So a channel's events keep their order when its lane moves, and come twice only if the old
/// owner died, or stood still, with a request under way.
///
/// Knows no clock: times are any milliseconds that never go back.
package struct LaneOwnership: Sendable {
  private enum Standing: Sendable, Hashable {
    /// Another server's.
    case foreign
    /// The ring names this server, which has not claimed the lane.
    case wanted(since: Int64)
    case claiming
    case held(term: Int64)
    /// Another server's by the ring; requests may be under way.
    case leaving(term: Int64)
  }

  private let local: ServerID
  private let handoverTime: Int64
  private var standings = [Standing](repeating: .foreign, count: OutboxLane.count)
  private var ring: ServerRing?

  /// - Parameters:
  ///   - local: This server.
  ///   - handoverTime: The time that another owner has for its requests under way, in milliseconds.
  package init(local: ServerID, handoverTime: Int64) {
    self.local = local
    self.handoverTime = handoverTime
  }

  /// Takes a ring.
  ///
  /// - Returns: The lanes that are another server's from now on.
  package mutating func update(_ ring: ServerRing, at now: Int64) -> OutboxLanes {
    guard ring != self.ring else { return [] }
    self.ring = ring
    var left: OutboxLanes = []
    for lane in OutboxLanes.all.sorted {
      let isOurs = ring.home(of: lane).id == local
      switch self[lane] {
      case .foreign: if isOurs { self[lane] = .wanted(since: now) }
      case .wanted: if !isOurs { self[lane] = .foreign }
      // The answer decides: the row may be ours by then.
      case .claiming: break
      case .held(let term):
        guard !isOurs else { continue }
        self[lane] = .leaving(term: term)
        left.insert(lane)
      case .leaving(let term): if isOurs { self[lane] = .held(term: term) }
      }
    }
    return left
  }

  /// The lanes to claim, which then are being claimed until the outcome is reported.
  package mutating func claims(among rows: [OutboxLaneRow], at now: Int64) -> [OutboxLaneRow] {
    rows.filter { row in
      guard case .wanted(let since) = self[row.lane], let ring else { return false }
      let owner = row.serverID.map(ServerID.init(rawValue:))
      let isVacant = owner == nil || owner == local || owner.flatMap(ring.member) == nil
      guard isVacant || now - since >= handoverTime else { return false }
      self[row.lane] = .claiming
      return true
    }
  }

  /// Takes the outcome of a claim: the lanes that are held now, among those that were to be claimed.
  ///
  /// - Returns: The lanes that are held and another server's by the ring meanwhile.
  package mutating func didClaim(_ holds: [OutboxHold], at now: Int64) -> OutboxLanes {
    var left: OutboxLanes = []
    for hold in holds where self[hold.lane] == .claiming {
      let isOurs = ring?.home(of: hold.lane).id == local
      self[hold.lane] = isOurs ? .held(term: hold.term) : .leaving(term: hold.term)
      if !isOurs { left.insert(hold.lane) }
    }
    for lane in OutboxLanes.all.sorted where self[lane] == .claiming { forget(lane, at: now) }
    return left
  }

  /// Compares what is held with the rows of all lanes.
  ///
  /// - Returns: The lanes that another server has claimed, which are held no more.
  package mutating func review(_ rows: [OutboxLaneRow], at now: Int64) -> OutboxLanes {
    var lost: OutboxLanes = []
    for row in rows {
      guard let term = term(of: row.lane), row.term > term else { continue }
      forget(row.lane, at: now)
      lost.insert(row.lane)
    }
    return lost
  }

  /// Takes note that another server has claimed lanes.
  package mutating func didLose(_ holds: [OutboxHold], at now: Int64) {
    for hold in holds where term(of: hold.lane) == hold.term { forget(hold.lane, at: now) }
  }

  /// The lanes to free in the database, since no request of theirs is under way; they are held no
  /// more.
  ///
  /// - Parameter busy: Lanes with requests under way, or with progress that is not noted.
  package mutating func release(unless busy: OutboxLanes, at now: Int64) -> [OutboxHold] {
    OutboxLanes.all.sorted.compactMap { lane in
      guard case .leaving(let term) = self[lane], !busy.contains(lane) else { return nil }
      forget(lane, at: now)
      return OutboxHold(lane: lane, term: term)
    }
  }

  /// Gives every lane up, whatever the ring says.
  package mutating func leaveAll() {
    for lane in OutboxLanes.all.sorted {
      switch self[lane] {
      case .held(let term): self[lane] = .leaving(term: term)
      case .wanted: self[lane] = .foreign
      case .foreign, .claiming, .leaving: break
      }
    }
  }

  /// Whether lanes are held that are another server's by the ring.
  package var isLeaving: Bool {
    standings.contains { if case .leaving = $0 { true } else { false } }
  }

  /// Whether requests of a lane may be begun.
  package func delivers(_ lane: OutboxLane) -> Bool {
    if case .held = self[lane] { true } else { false }
  }

  /// The term under which a lane is held; `nil` when it is not.
  package func term(of lane: OutboxLane) -> Int64? {
    switch self[lane] {
    case .held(let term), .leaving(let term): term
    case .foreign, .wanted, .claiming: nil
    }
  }

  /// The lanes whose requests may be begun.
  package var holds: [OutboxHold] {
    OutboxLanes.all.sorted.compactMap { lane in
      guard case .held(let term) = self[lane] else { return nil }
      return OutboxHold(lane: lane, term: term)
    }
  }

  private mutating func forget(_ lane: OutboxLane, at now: Int64) {
    let isOurs = ring?.home(of: lane).id == local
    self[lane] = isOurs ? .wanted(since: now) : .foreign
  }

  private subscript(lane: OutboxLane) -> Standing {
    get { standings[lane.number] }
    set { standings[lane.number] = newValue }
  }
}

extension ServerRing {
  /// The server that delivers a lane.
  package func home(of lane: OutboxLane) -> ClusterMember {
    home(ofChannel: "webhooks/\(lane.number)")
  }
}
