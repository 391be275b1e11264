import Basics

/// One of the parts into which several servers divide the outbox: the events of some channels.
///
/// One server at a time delivers a lane. It has claimed the lane by raising the term in the lane's row,
/// so statements of an earlier owner have no effect. A single server delivers the whole outbox, without
/// lanes.
package struct OutboxLane: Sendable, Hashable, Comparable {
  package static let count = 64

  /// From 0 to 63.
  package let number: Int

  /// - Parameter number: From 0 to 63.
  package init(_ number: Int) {
    precondition((0..<Self.count).contains(number), "there is no such lane")
    self.number = number
  }

  /// - Returns: `nil` when no lane has this number.
  init?(stored number: Int) {
    guard (0..<Self.count).contains(number) else { return nil }
    self.number = number
  }

  /// The lane of a channel: FNV-1a over its URL, so that all servers of all versions use the same lane.
  package init(ofChannel url: String) {
    let hash = FNV1a.hash(url)
    number = Int((hash ^ hash >> 32) % UInt64(Self.count))
  }

  package static func < (left: OutboxLane, right: OutboxLane) -> Bool { left.number < right.number }
}

/// A set of lanes.
package struct OutboxLanes: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// One bit for each lane, the lowest for lane 0.
  package private(set) var bits: UInt64

  package init(bits: UInt64 = 0) { self.bits = bits }

  package init(_ lanes: some Sequence<OutboxLane>) {
    self.init()
    for lane in lanes { insert(lane) }
  }

  package init(arrayLiteral lanes: OutboxLane...) { self.init(lanes) }

  package static let all = OutboxLanes(bits: .max)

  package var isEmpty: Bool { bits == 0 }
  package var count: Int { bits.nonzeroBitCount }

  package func contains(_ lane: OutboxLane) -> Bool { bits & Self.bit(lane) != 0 }
  package mutating func insert(_ lane: OutboxLane) { bits |= Self.bit(lane) }
  package mutating func remove(_ lane: OutboxLane) { bits &= ~Self.bit(lane) }
  package mutating func formUnion(_ other: OutboxLanes) { bits |= other.bits }

  /// The lanes in the order of their numbers.
  package var sorted: [OutboxLane] {
    (0..<OutboxLane.count).filter { bits & 1 << UInt64($0) != 0 }.map { OutboxLane($0) }
  }

  private static func bit(_ lane: OutboxLane) -> UInt64 { 1 << UInt64(lane.number) }
}

/// A lane that a server has claimed.
package struct OutboxHold: Sendable, Hashable {
  package var lane: OutboxLane
  /// Larger than the term of each earlier owner.
  package var term: Int64

  package init(lane: OutboxLane, term: Int64) {
    self.lane = lane
    self.term = term
  }
}

/// The owner of a lane according to the database.
package struct OutboxLaneRow: Sendable, Hashable {
  package var lane: OutboxLane
  /// The number of the server that has claimed the lane; `nil` when its last owner has released it.
  package var serverID: UInt64?
  package var term: Int64
}

/// The part of the outbox that a server delivers.
package enum OutboxShare: Sendable, Hashable {
  /// The whole outbox: there is no other server.
  case everything
  /// The lanes that the server has claimed; an operation skips those that another has claimed since.
  case lanes([OutboxHold])
}

extension OutboxShare {
  /// The share without the lost lanes.
  func without(_ lost: [OutboxHold]) -> OutboxShare {
    switch self {
    case .everything: .everything
    case .lanes(let holds): .lanes(holds.filter { !lost.contains($0) })
    }
  }
}
