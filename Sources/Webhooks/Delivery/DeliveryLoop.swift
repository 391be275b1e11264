import CCurl
import Crypto
import Curl
import Logging
import ParleyProtocol
import Reactor
import Store

/// Carries events from the outbox to the URLs; confined to its thread.
///
/// The schedule says which lane is next. The events are read on the store's threads and posted from
/// here, and the store's writer notes which were taken, all of a round in one job.
final class DeliveryLoop: CurlLoopOwner {
  let loop: CurlLoop<DeliveryTransfer>
  let configuration: WebhookConfiguration
  let store: Store
  let door: DeliveryHandle
  let counters: WebhookCounters
  let logger: Logger

  var receivers: [OutboxReceiver] = []
  var health: [ReceiverHealth] = []
  var schedule = DeliverySchedule(receivers: 0, concurrency: 1)
  /// The names of batches that failed, for the next time.
  var names: [Lane: DeliveryName] = [:]
  var level = OutboxLevel()
  /// The progress of URLs that is still to be stored.
  var advances: [OutboxAdvance] = []
  /// The time before which storing it is not tried again, after a failure.
  var advancesPausedUntil = Int64.min
  var isTrimming = false
  private var ending: Ending?

  private struct Ending {
    let deadline: Int64
    let completion: @Sendable () -> Void
  }

  init(
    _ loop: CurlLoop<DeliveryTransfer>, configuration: WebhookConfiguration, store: Store,
    door: DeliveryHandle, counters: WebhookCounters, logger: Logger
  ) {
    self.loop = loop
    self.configuration = configuration
    self.store = store
    self.door = door
    self.counters = counters
    self.logger = logger
  }

  var now: Int64 { SystemClock.monotonicMilliseconds }

  func receive(_ request: DeliveryRequest) {
    switch request {
    case .begin(let contents): begin(contents)
    case .queued(let arrivals): didQueue(arrivals)
    case .didRead(let readings, let result): didRead(readings, result)
    case .didAdvance(let advances, let result): didAdvance(advances, result)
    case .didTrim(let result): didTrim(result)
    case .didExpire(let turn, let asked, let result):
      didExpire(turn, asked: asked, result)
    case .test(let completion): startTest(completion)
    case .report(let completion): completion(reports)
    case .finish(let completion):
      ending = Ending(deadline: now + configuration.endingTime, completion: completion)
    }
  }

  func startTransfers() -> ContinuousClock.Instant? {
    submitAdvances()
    if let ending {
      if loop.isIdle || now >= ending.deadline { ending.completion() }
      return .now.advanced(by: .milliseconds(20))
    }
    trim()
    var turns: [Turn] = []
    while let turn = schedule.next(at: now) { turns.append(turn) }
    if !turns.isEmpty { read(turns) }
    return schedule.nextAttempt.map { time in
      .now.advanced(by: .milliseconds(max(0, time == .min ? 0 : time - now)))
    }
  }

  func didEnd(_ transfer: DeliveryTransfer, _ result: CURLcode) {
    let outcome = transfer.outcome(result)
    switch transfer.delivery.purpose {
    case .events(let turn, let events): didPost(turn, events, transfer.delivery, outcome)
    case .test(let test): test.add(outcome, receiver: transfer.delivery.receiver)
    }
  }

  func stop() {
    for transfer in loop.removeAll() {
      if case .test(let test) = transfer.delivery.purpose {
        test.add(
          .failed(status: nil, reason: "the server stops", retryAfter: nil),
          receiver: transfer.delivery.receiver)
      }
    }
  }

  private func begin(_ contents: OutboxContents) {
    receivers = contents.receivers
    health = receivers.map { ReceiverHealth(url: $0.url) }
    schedule = DeliverySchedule(
      receivers: receivers.count, concurrency: configuration.concurrency,
      waits: configuration.waits)
    let places = Dictionary(uniqueKeysWithValues: zip(receivers.map(\.id), receivers.indices))
    for backlog in contents.backlog {
      guard let place = places[backlog.receiverID] else { continue }
      schedule.add(
        Lane(receiver: place, channelURL: backlog.channelURL), after: backlog.cursor,
        through: backlog.lastEventID)
    }
    level = OutboxLevel(count: contents.eventCount, oldest: contents.oldest)
    counters.publish(level)
  }

  private func didQueue(_ arrivals: [OutboxArrival]) {
    for arrival in arrivals {
      schedule.didQueue(arrival.channelURL, eventID: arrival.eventID)
      level.add(at: arrival.timestamp)
    }
    counters.publish(level)
  }

  private func read(_ turns: [Turn]) {
    let readings = turns.map { turn in
      // What failed is sent again as it was, so that it can keep its name.
      let through = names[turn.lane].map { min($0.lastEventID, turn.through) } ?? turn.through
      return DeliveryReading(
        turn: turn,
        stretch: OutboxStretch(
          channelURL: turn.lane.channelURL, after: turn.after, through: through))
    }
    let door = door
    store.perform(OutboxReading(readings.map(\.stretch))) {
      door.post(.didRead(readings, $0))
    }
  }

  private func didRead(
    _ readings: [DeliveryReading], _ result: Result<[[OutboxEvent]], StoreError>
  ) {
    guard ending == nil else { return }
    switch result {
    case .failure(let error):
      logger.debug("events for webhooks can't be read", metadata: ["reason": "\(error)"])
      for reading in readings { postpone(reading.turn) }
    case .success(let batches):
      for (reading, events) in zip(readings, batches) {
        if events.isEmpty {
          // They were dropped, as too many waited.
          names[reading.turn.lane] = nil
          schedule.didDeliver(reading.turn.lane, through: reading.stretch.through)
        } else {
          post(events, for: reading.turn)
        }
      }
    }
  }

  private func post(_ events: [OutboxEvent], for turn: Turn) {
    let name = names[turn.lane].flatMap { $0.isName(of: events) ? $0 : nil } ?? newName(of: events)
    names[turn.lane] = name
    let body = WebhookEncoder.body(
      id: name.id, createdAt: name.createdAt, events: events.map(\.body))
    let isSent = send(
      Delivery(
        receiver: turn.lane.receiver, purpose: .events(turn, events), id: name.id, body: body))
    if !isSent { postpone(turn) }
  }

  private func newName(of events: [OutboxEvent]) -> DeliveryName {
    DeliveryName(
      id: SecureRandom.hex(byteCount: 16), createdAt: SystemClock.unixMilliseconds,
      firstEventID: events.first?.id ?? 0, lastEventID: events.last?.id ?? 0, count: events.count)
  }

  /// - Returns: Whether libcurl took it.
  func send(_ delivery: Delivery) -> Bool {
    let url = receivers[delivery.receiver].url
    let transfer = DeliveryTransfer(delivery, url: url, configuration: configuration)
    return transfer.map(loop.add) ?? false
  }

  /// Tries again later, for no fault of the receiver's.
  func postpone(_ turn: Turn) {
    schedule.didFail(turn.lane, at: now, random: UInt64.random(in: 0 ... .max))
  }
}
