import Channels
import Cluster
import Lanes
import Logging
import Store

/// The lanes that this server delivers when there are other servers.
///
/// The jobs of a lane are read whenever another server may have added some: at once after a hint, otherwise
/// every second.
extension PushLoop {
  /// Updates the ring, frees lanes that belong to another server, and reads their owners when it is due.
  func keepLanes() {
    guard let ring = lanes?.cluster.network.ring else { return }
    if let left = lanes?.ownership.update(ring, at: now) { withdraw(left) }
    releaseLanes()
    guard let due = lanes?.surveyDue, due <= now else { return }
    lanes?.surveys.begin(at: now)
    let door = door
    store.perform(PushLaneReading(), for: .server) { result, _ in
      door.post(.didReadLanes(result))
    }
  }

  /// Releases all lanes, and frees those without pushes in progress.
  func leaveLanes() {
    guard lanes != nil else { return }
    lanes?.ownership.leaveAll()
    releaseLanes()
  }

  /// Frees all lanes, even those with pushes in progress.
  func abandonLanes() {
    guard lanes != nil else { return }
    leaveLanes()
    release(lanes?.ownership.release(unless: [], at: now) ?? [])
  }

  /// Handles jobs that this server has added.
  func didQueueInLanes(_ arrivals: [PushArrival]) {
    guard let cluster = lanes?.cluster else { return }
    didHint(cluster.announce(OutboxLanes(arrivals.lazy.map(\.lane))))
    for arrival in arrivals where lanes?.ownership.delivers(arrival.lane) == true {
      expectJob(dueAt: arrival.dueAt)
    }
  }

  func didHint(_ new: OutboxLanes) {
    let isOurs = new.sorted.contains { lanes?.ownership.delivers($0) == true }
    if isOurs { readSoon(at: now) }
  }

  func didReadLanes(_ result: Result<[OutboxLaneRow], StoreError>) {
    defer { lanes?.surveys.end(at: now) }
    guard ending == nil else { return }
    switch result {
    case .failure(let error):
      logger.debug("the lanes of pushes can't be read", metadata: ["reason": "\(error)"])
    case .success(let rows):
      withdrawLost(lanes?.ownership.review(rows, at: now) ?? [])
      claim(rows)
      readSoon(at: now)
    }
  }

  func didClaim(_ result: Result<[OutboxHold], StoreError>) {
    let holds: [OutboxHold]
    switch result {
    case .success(let claimed): holds = claimed
    case .failure(let error):
      logger.debug("lanes of pushes can't be claimed", metadata: ["reason": "\(error)"])
      holds = []
    }
    if let left = lanes?.ownership.didClaim(holds, at: now) { withdraw(left) }
    if !holds.isEmpty { readSoon(at: now) }
  }

  /// Drops lanes that another server has claimed.
  func didLose(_ holds: [OutboxHold]) {
    guard !holds.isEmpty else { return }
    withdrawLost(lanes?.ownership.didLose(holds, at: now) ?? [])
  }

  /// Whether this server begins a job.
  func delivers(_ job: PushJob) -> Bool {
    // The lane of a deleted channel is not known: its jobs only end.
    guard let ownership = lanes?.ownership, !job.channelURL.isEmpty else { return true }
    return ownership.delivers(job.lane)
  }

  private func claim(_ rows: [OutboxLaneRow]) {
    guard let rows = lanes?.ownership.claims(among: rows, at: now), !rows.isEmpty,
      let local = lanes?.cluster.network.local.id
    else { return }
    let door = door
    store.perform(LaneClaim(of: rows, in: .push, by: local.rawValue)) { door.post(.didClaim($0)) }
  }

  private func releaseLanes() {
    guard lanes?.ownership.isLeaving == true else { return }
    release(lanes?.ownership.release(unless: ledger.busyLanes, at: now) ?? [])
  }

  private func release(_ holds: [OutboxHold]) {
    guard !holds.isEmpty else { return }
    // When this fails, the next owner waits for the maximum time of requests in progress.
    store.perform(LaneRelease(of: holds, in: .push)) { _ in }
  }

  /// Starts no further requests of lanes; those in progress end normally.
  private func withdraw(_ left: OutboxLanes) {
    guard !left.isEmpty else { return }
    withdraw { left.contains($0.lane) }
  }

  private func withdrawLost(_ lost: OutboxLanes) {
    guard !lost.isEmpty else { return }
    expansions.drop { jobID in ledger.job(jobID).map { lost.contains($0.lane) } ?? true }
    _ = queue.remove { $0.job.map { lost.contains($0.lane) } ?? false }
    ledger.drop(lost)
  }
}

/// The loop's state of the lanes.
struct PushLanes {
  let cluster: LaneCluster
  var ownership: LaneOwnership
  var surveys = SurveySchedule()

  init(_ cluster: LaneCluster, handoverTime: Int64) {
    self.cluster = cluster
    ownership = LaneOwnership(local: cluster.network.local.id, handoverTime: handoverTime)
  }

  /// The time of the next survey; `nil` while one is in progress.
  var surveyDue: Int64? { surveys.due }

  /// The part of the jobs that this server begins.
  var share: OutboxShare { .lanes(ownership.holds) }
}
