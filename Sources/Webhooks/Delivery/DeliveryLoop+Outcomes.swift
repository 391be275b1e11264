import Logging
import ParleyProtocol
import Reactor
import Store

/// The outcomes of posts.
extension DeliveryLoop {
  /// Events that are removed in one job of the store's, so that it holds up no messages.
  private static let trimCount = 1_000
  /// The pause after the store failed to note what was taken, in milliseconds.
  private static let advancePause: Int64 = 1_000

  func didPost(
    _ turn: Turn, _ events: [OutboxEvent], _ delivery: Delivery, _ outcome: DeliveryOutcome
  ) {
    let place = turn.lane.receiver
    switch outcome {
    case .taken:
      names[turn.lane] = nil
      let last = events.last?.id ?? turn.after
      schedule.didDeliver(turn.lane, through: last)
      advances.append(
        OutboxAdvance(
          receiverID: receivers[place].id, channelURL: turn.lane.channelURL, eventID: last))
      counters.add(events.count, to: .delivered)
      counters.add(1, to: .requests)
      health[place].succeed(at: SystemClock.unixMilliseconds, logger)
    case .failed(_, let reason, let asked):
      counters.add(1, to: .failedAttempts)
      health[place].fail(reason, at: SystemClock.unixMilliseconds, logger)
      let cutoff = SystemClock.unixMilliseconds - configuration.retryTime
      if let first = events.first, first.timestamp < cutoff {
        expire(turn, through: events.last?.id ?? turn.after, before: cutoff, asked: asked)
      } else {
        schedule.didFail(turn.lane, at: now, asked: asked, random: UInt64.random(in: 0 ... .max))
      }
    }
  }

  /// Notes which events were taken, in one job; those that all URLs have taken leave the store.
  func submitAdvances() {
    guard !advances.isEmpty, now >= advancesPausedUntil else { return }
    let batch = advances
    advances = []
    let door = door
    store.perform(OutboxProgress(batch)) {
      door.post(.didAdvance(batch, $0))
    }
  }

  func didAdvance(_ batch: [OutboxAdvance], _ result: Result<OutboxRemoval, StoreError>) {
    switch result {
    case .success(let removal): take(removal)
    case .failure:
      // Until it is noted, a restart would post these once more.
      advances = batch + advances
      advancesPausedUntil = now + Self.advancePause
    }
  }

  /// Gives up those of the events that were posted which are too old, so that the next can go on.
  private func expire(_ turn: Turn, through last: Int64, before cutoff: Int64, asked: Int64?) {
    let stretch = OutboxStretch(
      channelURL: turn.lane.channelURL, after: turn.after, through: last)
    let (receiverID, door) = (receivers[turn.lane.receiver].id, door)
    store.perform(OutboxExpiry(receiverID: receiverID, in: stretch, before: cutoff)) {
      door.post(.didExpire(turn, asked: asked, $0))
    }
  }

  func didExpire(
    _ turn: Turn, asked: Int64?, _ result: Result<OutboxExpiry.Events?, StoreError>
  ) {
    guard case .success(let expiry?) = result else { return postpone(turn) }
    names[turn.lane] = nil
    take(expiry.removal)
    counters.add(expiry.count, to: .expired)
    health[turn.lane.receiver].giveUp(expiry.count, at: now, logger)
    schedule.didGiveUp(
      turn.lane, through: expiry.through, at: now, asked: asked,
      random: UInt64.random(in: 0 ... .max))
  }

  /// Drops the oldest events while more wait than may.
  func trim() {
    let excess = level.count - configuration.backlogLimit
    if level.isRelieved(limit: configuration.backlogLimit) { level.isOverfull = false }
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
    store.perform(OutboxTrimming(count: count)) {
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

  private func take(_ removal: OutboxRemoval) {
    level.remove(removal)
    counters.publish(level)
  }
}
