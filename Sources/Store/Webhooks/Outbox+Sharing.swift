/// Reads the owners of all lanes and the waiting events of some lanes, in one state of the store; scans
/// all waiting events of those lanes.
package struct OutboxSurvey: StoreQuery {
  package struct Findings: Sendable, Hashable {
    /// All lanes; a lane that no server has claimed has term 0.
    package var lanes: [OutboxLaneRow]
    /// The channels with events for a receiver, in the requested lanes.
    package var backlog: [OutboxBacklog]
    /// The number of events in those lanes.
    package var eventCount: Int
    /// The time of the oldest of them.
    package var oldest: Int64?
  }

  package var lanes: OutboxLanes
  package var receiverIDs: [Int64]

  package init(of lanes: OutboxLanes, for receiverIDs: [Int64]) {
    self.lanes = lanes
    self.receiverIDs = receiverIDs
  }

  package var statements: ReadStatements<Findings> {
    .init { try $0.outboxSurvey(of: lanes, for: receiverIDs) }
  }
}

/// Announces to all servers, except the asked one, that waiting events are to be posted now.
package struct OutboxRetry: StoreWrite {
  package var askedServer: String

  package init(askedServer: String) { self.askedServer = askedServer }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Void> {
    .init { try $0.announce(.webhookRetry(askedServer: askedServer)) }
  }
}

/// The owners of lanes, in a database shared by several servers.
extension StoreTransaction {
  /// The lanes of a share that another server has claimed.
  func lostLanes(of share: OutboxShare) throws -> [OutboxHold] {
    try lostLanes(of: share, in: .webhooks, locking: "")
  }

  func outboxSurvey(
    of lanes: OutboxLanes, for receiverIDs: [Int64]
  ) throws -> OutboxSurvey.Findings {
    let rows = try laneRows(in: .webhooks)
    var findings = OutboxSurvey.Findings(lanes: rows, backlog: [], eventCount: 0, oldest: nil)
    guard !lanes.isEmpty else { return findings }
    let numbers = StoreValue.integers(lanes.sorted.map { Int64($0.number) })
    try readLevel(of: numbers, into: &findings)
    for id in receiverIDs { findings.backlog += try backlog(id, in: numbers) }
    return findings
  }

  private func readLevel(
    of lanes: StoreValue, into findings: inout OutboxSurvey.Findings
  ) throws {
    let level = try connection.first(
      "SELECT count(*), min(ts) FROM webhook_events WHERE lane \(.isAnyOf)", [lanes]
    ) { (count: $0[0] as Int, oldest: $0[1] as Int64?) }
    findings.eventCount = level?.count ?? 0
    findings.oldest = level?.oldest
  }

  private func backlog(_ receiverID: Int64, in lanes: StoreValue) throws -> [OutboxBacklog] {
    let cursor = StoreStatement.greater("r.since", "coalesce(c.event_id, 0)")
    return try connection.all(
      """
      SELECT e.channel_url, \(cursor), e.last FROM
        (SELECT lane, channel_url, max(event_id) AS last FROM webhook_events
         WHERE lane \(.isAnyOf) GROUP BY lane, channel_url) AS e
      JOIN webhook_receivers AS r ON r.receiver_id = ?
      LEFT JOIN webhook_cursors AS c
        ON c.receiver_id = r.receiver_id AND c.channel_url = e.channel_url
      WHERE e.last > \(cursor) ORDER BY 2
      """, [lanes, receiverID]
    ) {
      OutboxBacklog(
        receiverID: receiverID, channelURL: $0[0], cursor: $0[1], lastEventID: $0[2])
    }
  }
}

extension WriteTransaction {
  /// Prevents the lanes of a share from being claimed until the transaction ends.
  ///
  /// - Returns: The lanes that another server has claimed already.
  func keepLanes(of share: OutboxShare) throws -> [OutboxHold] {
    try keepLanes(of: share, in: .webhooks)
  }
}
