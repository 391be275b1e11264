import Cluster
import Lanes
import Store

/// The loop's state of the lanes.
struct LaneKeeping {
  let cluster: LaneCluster
  var ownership: LaneOwnership
  var taken = TakenEvents()
  /// The lanes of the last survey, for which the level of the outbox is known.
  var surveyed: OutboxLanes = []
  private var surveys = SurveySchedule()

  init(_ cluster: LaneCluster, handoverTime: Int64) {
    self.cluster = cluster
    ownership = LaneOwnership(local: cluster.network.local.id, handoverTime: handoverTime)
  }

  /// The time of the next survey; `nil` while one is in progress.
  var surveyDue: Int64? { surveys.due }

  mutating func beginSurvey(at now: Int64) {
    surveys.begin(at: now)
    taken.beginReading()
  }

  mutating func endSurvey(at now: Int64) {
    taken.endReading()
    surveys.end(at: now)
  }

  /// Records that there are new events.
  mutating func hint() { surveys.hint() }

  /// Schedules a survey soon because lanes were claimed, whose events are to be read.
  mutating func surveySoon() { surveys.hasten() }

  /// The held lanes of some channels.
  func share(ofChannels urls: some Sequence<String>) -> OutboxShare {
    ownership.share(of: OutboxLanes(urls.map(OutboxLane.init(ofChannel:))))
  }
}
