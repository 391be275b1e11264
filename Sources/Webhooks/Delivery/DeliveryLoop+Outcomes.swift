import Logging
import ParleyProtocol
import Reactor
import Store

/// The outcomes of posted events.
extension DeliveryLoop {
  /// The number of events removed in one job of the store, so that the job does not delay messages.
  private static let trimCount = 1_000
  /// The pause after the store failed to record progress, in milliseconds.
  private static let advancePause: Int64 = 1_000

  func didPost(
    _ turn: Turn, _ events: [OutboxEvent], _ delivery: Delivery, _ outcome: DeliveryOutcome
  ) {
    let place = turn.path.receiver
    switch outcome {
    case .taken:
      names[turn.path] = nil
      let last = events.last?.id ?? turn.after
      schedule.didTake(turn.path, through: last)
      if holds(channel: turn.path.channelURL) {
        lanes?.taken.didTake(turn.path, through: last)
        advances.append(
          OutboxAdvance(
            receiverID: receivers[place].id, channelURL: turn.path.channelURL, eventID: last))
      } else {
        schedule.didDeliver(turn.path, through: last)
      }
      counters.add(events.count, to: .delivered)
      counters.add(1, to: .requests)
      health[place].succeed(at: SystemClock.unixMilliseconds, logger)
    case .failed(_, let reason, let asked):
      counters.add(1, to: .failedAttempts)
      health[place].fail(reason, at: SystemClock.unixMilliseconds, logger)
      let cutoff = configuration.ageClock().map { $0 - configuration.retryTime }
      if let cutoff, let first = events.first, first.timestamp < cutoff {
        expire(turn, through: events.last?.id ?? turn.after, before: cutoff, asked: asked)
      } else {
        schedule.didFail(turn.path, at: now, asked: asked, random: UInt64.random(in: 0 ... .max))
      }
    }
  }

  /// Records which events were received, in one job; those received by all URLs leave the store.
  func submitAdvances() {
    guard !advances.isEmpty, now >= advancesPausedUntil else { return }
    let batch = advances
    advances = []
    let door = door
    store.perform(OutboxProgress(batch, in: share(ofChannels: batch.lazy.map(\.channelURL)))) {
      door.post(.didAdvance(batch, $0))
    }
  }

  func didAdvance(_ batch: [OutboxAdvance], _ result: Result<OutboxRemoval, StoreError>) {
    switch result {
    case .success(let removal):
      take(removal)
      didNote(batch)
    case .failure:
      // Until they are recorded, a restart would post these events again.
      advances = batch.filter { holds(channel: $0.channelURL) } + advances
      advancesPausedUntil = now + Self.advancePause
    }
  }

  /// Discards those of the posted events that are too old, so that later ones can be delivered.
  private func expire(_ turn: Turn, through last: Int64, before cutoff: Int64, asked: Int64?) {
    let stretch = OutboxStretch(
      channelURL: turn.path.channelURL, after: turn.after, through: last)
    let (receiverID, door) = (receivers[turn.path.receiver].id, door)
    let expiry = OutboxExpiry(
      receiverID: receiverID, in: stretch, before: cutoff,
      of: share(ofChannels: [stretch.channelURL]))
    store.perform(expiry) {
      door.post(.didExpire(turn, asked: asked, $0))
    }
  }

  func didExpire(
    _ turn: Turn, asked: Int64?, _ result: Result<OutboxExpiry.Events?, StoreError>
  ) {
    guard case .success(let expiry?) = result else { return postpone(turn) }
    names[turn.path] = nil
    take(expiry.removal)
    lanes?.taken.didTake(turn.path, through: expiry.through)
    lanes?.taken.didNote(turn.path, through: expiry.through)
    counters.add(expiry.count, to: .expired)
    health[turn.path.receiver].giveUp(expiry.count, at: now, logger)
    schedule.didGiveUp(
      turn.path, through: expiry.through, at: now, asked: asked,
      random: UInt64.random(in: 0 ... .max))
  }

  /// Removes the oldest events while there are more than the limit.
  func trim() {
    guard let share = knownShare else { return }
    let limit = backlogLimit(of: share)
    let excess = level.count - limit
    if level.isRelieved(limit: limit) { level.isOverfull = false }
    guard excess > 0, !isTrimming, now >= advancesPausedUntil else { return }
    isTrimming = true
    if !level.isOverfull {
      level.isOverfull = true
      logger.error(
        "the webhook backlog exceeds webhooks.backlog_events; dropping the oldest events",
        metadata: ["limit": "\(configuration.backlogLimit)"])
    }
    let count = min(excess, Self.trimCount)
    let door = door
    store.perform(OutboxTrimming(count: count, in: share)) {
      door.post(.didTrim($0))
    }
  }

  func didTrim(_ result: Result<OutboxRemoval, StoreError>) {
    isTrimming = false
    switch result {
    case .success(let removal):
      take(removal)
      counters.add(removal.count, to: .dropped)
    case .failure: advancesPausedUntil = now + Self.advancePause
    }
  }

  /// The maximum number of events that may wait in a part of the outbox.
  private func backlogLimit(of share: OutboxShare) -> Int {
    switch share {
    case .everything: configuration.backlogLimit
    case .lanes(let holds): configuration.backlogLimit * holds.count / OutboxLane.count
    }
  }

  private func didNote(_ batch: [OutboxAdvance]) {
    for advance in batch {
      guard let place = receivers.firstIndex(where: { $0.id == advance.receiverID }) else {
        continue
      }
      let path = DeliveryPath(receiver: place, channelURL: advance.channelURL)
      lanes?.taken.didNote(path, through: advance.eventID)
      schedule.didDeliver(path, through: advance.eventID)
    }
  }

  private func take(_ removal: OutboxRemoval) {
    didLose(removal.lost)
    level.remove(removal)
    counters.publish(level)
  }
}
