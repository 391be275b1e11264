package import Cluster
package import Store

/// The other servers, to the extent that webhooks need them.
package struct WebhookCluster: Sendable {
  package var network: any ClusterNetwork
  /// Reports to a server that lanes that it delivers have new events; a report may be lost.
  package var hint: @Sendable (OutboxLanes, ServerID) -> Void

  package init(
    network: any ClusterNetwork, hint: @escaping @Sendable (OutboxLanes, ServerID) -> Void
  ) {
    self.network = network
    self.hint = hint
  }
}

/// The loop's state of the lanes.
struct LaneKeeping {
  let cluster: WebhookCluster
  var ownership: LaneOwnership
  var taken = TakenEvents()
  /// The lanes of the last survey, for which the level of the outbox is known.
  var surveyed: OutboxLanes = []
  /// The time of the next survey; `nil` while one is in progress.
  private(set) var surveyDue: Int64? = .min
  private var surveyBegan = Int64.min
  /// The duration of the last survey.
  private var duration: Int64 = 0
  private var surveyEnded = Int64.min
  private var isHinted = false

  /// The maximum time without a survey, in milliseconds: a lost hint delays an event for that long.
  private static let interval: Int64 = 1_000

  init(_ cluster: WebhookCluster, handoverTime: Int64) {
    self.cluster = cluster
    ownership = LaneOwnership(local: cluster.network.local.id, handoverTime: handoverTime)
  }

  mutating func beginSurvey(at now: Int64) {
    surveyDue = nil
    surveyBegan = now
    isHinted = false
    taken.beginReading()
  }

  /// Ends a survey; the next one follows after a pause, so that a long backlog does not keep the
  /// database busy.
  mutating func endSurvey(at now: Int64) {
    taken.endReading()
    duration = now - surveyBegan
    surveyEnded = now
    surveyDue = now + (isHinted ? 4 * duration : max(Self.interval, 20 * duration))
  }

  /// Records that there are new events.
  mutating func hint() {
    isHinted = true
    if let due = surveyDue { surveyDue = min(due, surveyEnded.addingProduct(4, duration)) }
  }

  /// Schedules a survey soon because lanes were claimed, whose events are to be read.
  mutating func surveySoon() { surveyDue = surveyDue.map { _ in .min } }

  /// The held lanes of some channels.
  func share(ofChannels urls: some Sequence<String>) -> OutboxShare {
    .lanes(
      OutboxLanes(urls.map(OutboxLane.init(ofChannel:))).sorted.compactMap { lane in
        ownership.term(of: lane).map { OutboxHold(lane: lane, term: $0) }
      })
  }
}

extension Int64 {
  /// The sum with a product, limited to the largest number.
  fileprivate func addingProduct(_ factor: Int64, _ value: Int64) -> Int64 {
    let (sum, isOver) = addingReportingOverflow(factor * value)
    return isOver ? .max : sum
  }
}
