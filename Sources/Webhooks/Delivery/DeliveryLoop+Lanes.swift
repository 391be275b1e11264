import Channels
import Cluster
import Lanes
import Logging
import Store

/// The lanes that this server delivers when there are other servers.
///
/// The waiting events of a lane are read from the store whenever another server may have added some: at
/// once after a hint, otherwise every second.
extension DeliveryLoop {
  /// Updates the ring, frees lanes that belong to another server, and surveys the outbox when it is due.
  func keepLanes() {
    guard let ring = lanes?.cluster.network.ring else { return }
    if let left = lanes?.ownership.update(ring, at: now) { withdraw(left) }
    releaseLanes()
    guard let due = lanes?.surveyDue, due <= now else { return }
    survey()
  }

  /// Releases all lanes, and frees those without requests in progress.
  func leaveLanes() {
    guard lanes != nil else { return }
    lanes?.ownership.leaveAll()
    withdraw(.all)
    releaseLanes()
  }

  /// Frees all lanes, even those with requests in progress.
  func abandonLanes() {
    guard lanes != nil else { return }
    leaveLanes()
    release(lanes?.ownership.release(unless: [], at: now) ?? [])
  }

  /// Handles events that this server has added to the outbox.
  func didQueueInLanes(_ arrivals: [OutboxArrival]) {
    guard let cluster = lanes?.cluster else { return }
    didHint(
      cluster.announce(OutboxLanes(arrivals.lazy.map { OutboxLane(ofChannel: $0.channelURL) })))
  }

  func didHint(_ new: OutboxLanes) {
    let isOurs = new.sorted.contains { lanes?.ownership.delivers($0) == true }
    if isOurs { lanes?.hint() }
  }

  func didSurvey(
    _ holds: [OutboxHold], _ result: Result<OutboxSurvey.Findings, StoreError>
  ) {
    guard lanes != nil else { return }
    defer { lanes?.endSurvey(at: now) }
    guard ending == nil else { return }
    switch result {
    case .failure(let error):
      logger.debug("the outbox can't be read", metadata: ["reason": "\(error)"])
    case .success(let findings):
      withdrawLost(lanes?.ownership.review(findings.lanes, at: now) ?? [])
      add(findings.backlog, of: holds)
      lanes?.surveyed = OutboxLanes(holds.map(\.lane))
      level.renew(count: findings.eventCount, oldest: findings.oldest)
      counters.publish(level)
      claim(findings.lanes)
    }
  }

  func didClaim(_ result: Result<[OutboxHold], StoreError>) {
    let holds: [OutboxHold]
    switch result {
    case .success(let claimed): holds = claimed
    case .failure(let error):
      logger.debug("lanes of the outbox can't be claimed", metadata: ["reason": "\(error)"])
      holds = []
    }
    if let left = lanes?.ownership.didClaim(holds, at: now) { withdraw(left) }
    if !holds.isEmpty { lanes?.surveySoon() }
  }

  /// Drops lanes that another server has claimed.
  func didLose(_ holds: [OutboxHold]) {
    guard !holds.isEmpty else { return }
    withdrawLost(lanes?.ownership.didLose(holds, at: now) ?? [])
  }

  /// The part of the outbox that this server delivers and whose level is known; `nil` when the part has
  /// changed since the level was read.
  var knownShare: OutboxShare? {
    guard let lanes else { return .everything }
    let holds = lanes.ownership.holds
    return OutboxLanes(holds.map(\.lane)) == lanes.surveyed ? .lanes(holds) : nil
  }

  /// The part of the outbox that contains some channels.
  func share(ofChannels urls: some Sequence<String>) -> OutboxShare {
    lanes?.share(ofChannels: urls) ?? .everything
  }

  /// The term under which a channel's events may be posted; 0 on a single server, `nil` when posting is
  /// not allowed.
  func term(ofChannel url: String) -> Int64? {
    guard let ownership = lanes?.ownership else { return 0 }
    let lane = OutboxLane(ofChannel: url)
    return ownership.delivers(lane) ? ownership.term(of: lane) : nil
  }

  /// Whether this server records the progress of a channel.
  func holds(channel url: String) -> Bool {
    guard let ownership = lanes?.ownership else { return true }
    return ownership.term(of: OutboxLane(ofChannel: url)) != nil
  }

  private func survey() {
    guard let holds = lanes?.ownership.holds else { return }
    lanes?.beginSurvey(at: now)
    let door = door
    let survey = OutboxSurvey(of: OutboxLanes(holds.map(\.lane)), for: receivers.map(\.id))
    store.perform(survey, for: .server) { result, _ in door.post(.didSurvey(holds, result)) }
  }

  private func add(_ backlog: [OutboxBacklog], of holds: [OutboxHold]) {
    let places = Dictionary(uniqueKeysWithValues: zip(receivers.map(\.id), receivers.indices))
    let terms = Dictionary(uniqueKeysWithValues: holds.map { ($0.lane, $0.term) })
    for backlog in backlog {
      let url = backlog.channelURL
      guard let place = places[backlog.receiverID],
        let term = term(ofChannel: url), term == terms[OutboxLane(ofChannel: url)]
      else { continue }
      let path = DeliveryPath(receiver: place, channelURL: url)
      // Events received since then must not be posted again.
      let cursor = max(backlog.cursor, lanes?.taken[path] ?? .min)
      if cursor < backlog.lastEventID {
        schedule.add(path, after: cursor, through: backlog.lastEventID)
      }
    }
  }

  private func claim(_ rows: [OutboxLaneRow]) {
    guard let rows = lanes?.ownership.claims(among: rows, at: now), !rows.isEmpty,
      let local = lanes?.cluster.network.local.id
    else { return }
    let door = door
    store.perform(LaneClaim(of: rows, in: .webhooks, by: local.rawValue)) {
      door.post(.didClaim($0))
    }
  }

  private func releaseLanes() {
    guard lanes?.ownership.isLeaving == true else { return }
    var busy = OutboxLanes(schedule.inFlight.map { OutboxLane(ofChannel: $0.channelURL) })
    if let taken = lanes?.taken {
      for path in taken.paths where taken.isPending(path) {
        busy.insert(OutboxLane(ofChannel: path.channelURL))
      }
    }
    release(lanes?.ownership.release(unless: busy, at: now) ?? [])
  }

  private func release(_ holds: [OutboxHold]) {
    guard !holds.isEmpty else { return }
    // When this fails, the next owner waits for the maximum time of requests in progress.
    store.perform(LaneRelease(of: holds, in: .webhooks)) { _ in }
  }

  /// Starts no further requests of lanes; those in progress end normally.
  private func withdraw(_ left: OutboxLanes) {
    guard !left.isEmpty else { return }
    schedule.withdraw { left.contains(OutboxLane(ofChannel: $0)) }
    names = names.filter { !left.contains(OutboxLane(ofChannel: $0.key.channelURL)) }
  }

  private func withdrawLost(_ lost: OutboxLanes) {
    guard !lost.isEmpty else { return }
    withdraw(lost)
    advances.removeAll { lost.contains(OutboxLane(ofChannel: $0.channelURL)) }
    lanes?.taken.removeAll { lost.contains(OutboxLane(ofChannel: $0.channelURL)) }
  }
}
