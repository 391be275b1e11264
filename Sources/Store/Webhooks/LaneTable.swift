/// A table with the owners of lanes, in a database shared by several servers.
///
/// Webhooks and pushes have their own, since a claim ends the deliveries of the former owner.
package enum LaneTable: Sendable {
  case webhooks
  case push

  fileprivate var name: StoreStatement {
    switch self {
    case .webhooks: "webhook_lanes"
    case .push: "push_lanes"
    }
  }

  fileprivate var path: String {
    switch self {
    case .webhooks: "the table webhook_lanes"
    case .push: "the table push_lanes"
    }
  }
}

/// Makes a server the owner of lanes whose rows have not changed since it read them.
///
/// Outcome: the lanes that the server owns now.
package struct LaneClaim: StoreWrite {
  package var serverID: UInt64
  package var rows: [OutboxLaneRow]
  package var table: LaneTable

  package init(of rows: [OutboxLaneRow], in table: LaneTable, by serverID: UInt64) {
    self.rows = rows
    self.table = table
    self.serverID = serverID
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<[OutboxHold]> {
    .init { try $0.claimLanes(rows, in: table, for: serverID) }
  }
}

/// Frees lanes for their next owner; lanes that it has claimed already are unchanged.
package struct LaneRelease: StoreWrite {
  package var holds: [OutboxHold]
  package var table: LaneTable

  package init(of holds: [OutboxHold], in table: LaneTable) {
    self.holds = holds
    self.table = table
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Void> {
    .init { try $0.releaseLanes(holds, in: table) }
  }
}

extension StoreTransaction {
  /// The owners of all lanes; a lane that no server has claimed has term 0.
  func laneRows(in table: LaneTable) throws -> [OutboxLaneRow] {
    var rows = OutboxLanes.all.sorted.map { OutboxLaneRow(lane: $0, serverID: nil, term: 0) }
    let claimed = try connection.all(
      "SELECT lane, server_id, term FROM \(table.name)", []
    ) { row -> OutboxLaneRow in
      guard let lane = OutboxLane(stored: row[0]) else {
        throw StoreError.damaged(path: table.path, reason: "an unknown lane")
      }
      return OutboxLaneRow(
        lane: lane, serverID: (row[1] as Int64?).map { UInt64(bitPattern: $0) }, term: row[2])
    }
    for row in claimed { rows[row.lane.number] = row }
    return rows
  }

  /// The lanes of a share that another server has claimed.
  ///
  /// - Parameter clause: Locks the rows, or is empty.
  func lostLanes(
    of share: OutboxShare, in table: LaneTable, locking clause: StoreStatement
  ) throws -> [OutboxHold] {
    guard case .lanes(let holds) = share, !holds.isEmpty else { return [] }
    let terms = try connection.all(
      "SELECT lane, term FROM \(table.name) WHERE lane \(.isAnyOf) ORDER BY lane \(clause)",
      [StoreValue.integers(holds.map { Int64($0.lane.number) })]
    ) { ($0[0] as Int, $0[1] as Int64) }
    let known = Dictionary(uniqueKeysWithValues: terms)
    return holds.filter { known[$0.lane.number] != $0.term }
  }
}

extension WriteTransaction {
  /// Prevents the lanes of a share from being claimed until the transaction ends.
  ///
  /// - Returns: The lanes that another server has claimed already.
  func keepLanes(of share: OutboxShare, in table: LaneTable) throws -> [OutboxHold] {
    try lostLanes(
      of: share, in: table, locking: StoreStatement(sqlite: "", postgreSQL: "FOR SHARE"))
  }

  /// Makes a server the owner of lanes whose rows have not changed since it read them.
  ///
  /// - Returns: The lanes that the server owns now.
  func claimLanes(
    _ rows: [OutboxLaneRow], in table: LaneTable, for serverID: UInt64
  ) throws -> [OutboxHold] {
    try rows.sorted { $0.lane < $1.lane }.compactMap { row in
      try connection.first(
        """
        INSERT INTO \(table.name) (lane, server_id, term) VALUES (?1, ?2, ?3 + 1)
        ON CONFLICT (lane) DO UPDATE SET server_id = excluded.server_id, term = excluded.term
        WHERE \(table.name).term = ?3 RETURNING term
        """, [row.lane.number, Int64(bitPattern: serverID), row.term]
      ) { OutboxHold(lane: row.lane, term: $0[0]) }
    }
  }

  /// Frees lanes for their next owner; lanes that it has claimed already are unchanged.
  func releaseLanes(_ holds: [OutboxHold], in table: LaneTable) throws {
    for hold in holds.sorted(by: { $0.lane < $1.lane }) {
      try connection.execute(
        "UPDATE \(table.name) SET server_id = NULL WHERE lane = ? AND term = ?",
        [hold.lane.number, hold.term])
    }
  }
}
