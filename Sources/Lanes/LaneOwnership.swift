package import Cluster
package import Store

/// Decides which lanes of the outbox this server claims, delivers and releases.
///
/// The ring names one server for each lane. That server claims the lane in the database when its row is
/// free, or when the row's owner no longer exists or has not released it in time. A server that the ring
/// no longer names starts no requests, and frees the row when those in progress have ended. So a
/// channel's events keep their order when its lane moves, and repeat only if the old owner died or
/// stalled during a request.
///
/// Has no clock: times are any milliseconds that never go back.
package struct LaneOwnership: Sendable {
  private enum Standing: Sendable, Hashable {
    /// The lane belongs to another server.
    case foreign
    /// The ring names this server, which has not claimed the lane.
    case wanted(since: Int64)
    case claiming
    case held(term: Int64)
    /// The lane belongs to another server by the ring; requests may be in progress.
    case leaving(term: Int64)
  }

  private let local: ServerID
  private let handoverTime: Int64
  private var standings = [Standing](repeating: .foreign, count: OutboxLane.count)
  private var ring: ServerRing?

  /// - Parameters:
  ///   - local: This server.
  ///   - handoverTime: The time for another owner's requests in progress, in milliseconds.
  package init(local: ServerID, handoverTime: Int64) {
    self.local = local
    self.handoverTime = handoverTime
  }

  /// Applies a ring.
  ///
  /// - Returns: The lanes that belong to another server from now on.
  package mutating func update(_ ring: ServerRing, at now: Int64) -> OutboxLanes {
    guard ring != self.ring else { return [] }
    self.ring = ring
    var left: OutboxLanes = []
    for lane in OutboxLanes.all.sorted {
      let isOurs = ring.home(of: lane).id == local
      switch self[lane] {
      case .foreign: if isOurs { self[lane] = .wanted(since: now) }
      case .wanted: if !isOurs { self[lane] = .foreign }
      // The outcome of the claim decides: it may succeed.
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

  /// The lanes to claim, which then count as being claimed until the outcome is reported.
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

  /// Applies the outcome of a claim: the lanes held now, among those to be claimed.
  ///
  /// - Returns: The held lanes that belong to another server by the ring in the meantime.
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

  /// Compares the held lanes with the rows of all lanes.
  ///
  /// - Returns: The lanes that another server has claimed and that are no longer held.
  package mutating func review(_ rows: [OutboxLaneRow], at now: Int64) -> OutboxLanes {
    var lost: OutboxLanes = []
    for row in rows {
      guard let term = term(of: row.lane), row.term > term else { continue }
      forget(row.lane, at: now)
      lost.insert(row.lane)
    }
    return lost
  }

  /// Records that another server has claimed lanes.
  ///
  /// - Returns: Those of them that this server held until now.
  @discardableResult
  package mutating func didLose(_ holds: [OutboxHold], at now: Int64) -> OutboxLanes {
    let lost = holds.filter { term(of: $0.lane) == $0.term }.map(\.lane)
    for lane in lost { forget(lane, at: now) }
    return OutboxLanes(lost)
  }

  /// The lanes to free in the database because none of their requests is in progress; they are no longer
  /// held.
  ///
  /// - Parameter busy: Lanes with requests in progress, or with progress that is not recorded.
  package mutating func release(unless busy: OutboxLanes, at now: Int64) -> [OutboxHold] {
    OutboxLanes.all.sorted.compactMap { lane in
      guard case .leaving(let term) = self[lane], !busy.contains(lane) else { return nil }
      forget(lane, at: now)
      return OutboxHold(lane: lane, term: term)
    }
  }

  /// Releases every lane, whatever the ring names.
  package mutating func leaveAll() {
    for lane in OutboxLanes.all.sorted {
      switch self[lane] {
      case .held(let term): self[lane] = .leaving(term: term)
      case .wanted: self[lane] = .foreign
      case .foreign, .claiming, .leaving: break
      }
    }
  }

  /// Whether lanes are held that belong to another server by the ring.
  package var isLeaving: Bool {
    standings.contains { if case .leaving = $0 { true } else { false } }
  }

  /// Whether requests of a lane may be started.
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

  /// The lanes whose requests may be started.
  package var holds: [OutboxHold] {
    OutboxLanes.all.sorted.compactMap { lane in
      guard case .held(let term) = self[lane] else { return nil }
      return OutboxHold(lane: lane, term: term)
    }
  }

  /// The part of the outbox that consists of those of some lanes that are held.
  package func share(of lanes: OutboxLanes) -> OutboxShare {
    .lanes(
      lanes.sorted.compactMap { lane in term(of: lane).map { OutboxHold(lane: lane, term: $0) } })
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
