import Cluster

/// The registry of a simulation, with the rules of the real one: numbers, locks, evidence of death.
final class SimulatedRegistry {
  private(set) var rows: [ServerID: ServerRecord] = [:]
  /// Servers whose connection, and with it their lock, is there.
  var locks: Set<ServerID> = []
  var isDown = false
  private var lastSlot = -1
  /// The registry's clock is not the servers'.
  private let clockOffset: Int64 = 1_000_000_000

  /// Adds a server and gives it a number.
  func register(_ id: ServerID, at now: Int64) -> ClusterMember {
    repeat {
      lastSlot = (lastSlot + 1) % ServerRing.capacity
    } while rows.values.contains {
      $0.member.slot == lastSlot && $0.state != .dead
    }
    let member = ClusterMember(id: id, slot: UInt16(lastSlot), name: "s\(lastSlot)")
    rows[id] = ServerRecord(
      member: member, version: "1", state: .joining, isOnBus: false,
      startedAt: now + clockOffset, beatAt: now + clockOffset)
    locks.insert(id)
    return member
  }

  func beat(_ id: ServerID, _ state: ServerState, isOnBus: Bool, at now: Int64) -> RegistryView {
    if let row = rows[id], row.state != .dead {
      rows[id]?.state = state
      rows[id]?.isOnBus = isOnBus
      rows[id]?.beatAt = now + clockOffset
      locks.insert(id)
    }
    return RegistryView(
      now: now + clockOffset,
      records: rows.values.filter { $0.state != .dead }.sorted { $0.member.id < $1.member.id })
  }

  /// - Returns: Whether the evidence holds and the server was not dead.
  func declareDead(_ id: ServerID, _ evidence: DeathEvidence, at now: Int64) -> Bool {
    guard let row = rows[id], row.state != .dead else { return false }
    switch evidence {
    case .lockIsFree: guard !locks.contains(id) else { return false }
    case .noBeat(let time): guard abs(now + clockOffset - row.beatAt) > time else { return false }
    }
    rows[id]?.state = .dead
    return true
  }

  /// Loses all connections, as a restart does.
  func restart() { locks = [] }
}
