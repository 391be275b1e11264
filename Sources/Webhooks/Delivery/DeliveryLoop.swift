import CCurl
import Crypto
import Curl
import Lanes
import Logging
import ParleyProtocol
import Reactor
import Store

/// Delivers events from the outbox to the URLs; confined to its thread.
///
/// The schedule determines the next path. The events are read on the store's threads and posted from
/// here, and the store's writer records which were received, for all paths of a round in one job.
final class DeliveryLoop: CurlLoopOwner {
  let loop: CurlLoop<DeliveryTransfer>
  private(set) var configuration: WebhookConfiguration
  let store: Store
  let door: DeliveryHandle
  let counters: WebhookCounters
  let logger: Logger

  var receivers: [OutboxReceiver] = []
  var health: [ReceiverHealth] = []
  var schedule = DeliverySchedule(receivers: 0, concurrency: 1)
  /// The names of failed batches, for the next attempt.
  var names: [DeliveryPath: DeliveryName] = [:]
  var level = OutboxLevel()
  /// The progress of URLs that is not stored yet.
  var advances: [OutboxAdvance] = []
  /// The time before which storing progress is not retried after a failure.
  var advancesPausedUntil = Int64.min
  var isTrimming = false
  /// `nil` on a single server, which delivers all lanes.
  var lanes: LaneKeeping?
  private(set) var ending: Ending?

  struct Ending {
    let deadline: Int64
    let completion: @Sendable () -> Void
  }

  init(
    _ loop: CurlLoop<DeliveryTransfer>, configuration: WebhookConfiguration, store: Store,
    cluster: LaneCluster?, door: DeliveryHandle, counters: WebhookCounters, logger: Logger
  ) {
    self.loop = loop
    self.configuration = configuration
    self.store = store
    self.door = door
    self.counters = counters
    self.logger = logger
    lanes = cluster.map {
      LaneKeeping($0, handoverTime: configuration.timeout + Self.handoverMargin)
    }
  }

  /// The time for a server to free a lane after its last request, in milliseconds.
  private static let handoverMargin: Int64 = 3_000

  var now: Int64 { SystemClock.monotonicMilliseconds }

  func receive(_ request: DeliveryRequest) {
    switch request {
    case .begin(let contents): begin(contents)
    case .queued(let arrivals): didQueue(arrivals)
    case .configure(let new):
      configuration = new
      schedule.concurrency = max(1, new.concurrency)
    case .hinted(let lanes): didHint(lanes)
    case .didSurvey(let holds, let result): didSurvey(holds, result)
    case .didClaim(let result): didClaim(result)
    case .didRead(let readings, let result): didRead(readings, result)
    case .didAdvance(let advances, let result): didAdvance(advances, result)
    case .didTrim(let result): didTrim(result)
    case .didExpire(let turn, let asked, let result):
      didExpire(turn, asked: asked, result)
    case .test(let completion): startTest(completion)
    case .retry: schedule.retry()
    case .report(let completion): completion(reports)
    case .finish(let completion):
      ending = Ending(deadline: now + configuration.endingTime, completion: completion)
    }
  }

  func startTransfers() -> ContinuousClock.Instant? {
    submitAdvances()
    if let ending {
      leaveLanes()
      if loop.isIdle || now >= ending.deadline {
        abandonLanes()
        ending.completion()
      }
      return .now.advanced(by: .milliseconds(20))
    }
    keepLanes()
    trim()
    var turns: [Turn] = []
    while let turn = schedule.next(at: now) { turns.append(turn) }
    if !turns.isEmpty { read(turns) }
    let times = [schedule.nextAttempt, lanes?.surveyDue]
    return times.compactMap(\.self).min().map { time in
      .now.advanced(by: .milliseconds(max(0, time == .min ? 0 : time - now)))
    }
  }

  func didEnd(_ transfer: DeliveryTransfer, _ result: CURLcode) {
    let outcome = transfer.outcome(result, at: SystemClock.unixMilliseconds)
    switch transfer.delivery.purpose {
    case .events(let turn, let events): didPost(turn, events, transfer.delivery, outcome)
    case .test(let test):
      let place = transfer.delivery.receiver
      if case .taken = outcome { schedule.didRecover(receiver: place) }
      test.add(outcome, receiver: place)
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
    // With several servers, waiting events are read when their lanes are claimed.
    guard lanes == nil else { return }
    let places = Dictionary(uniqueKeysWithValues: zip(receivers.map(\.id), receivers.indices))
    for backlog in contents.backlog {
      guard let place = places[backlog.receiverID] else { continue }
      schedule.add(
        DeliveryPath(receiver: place, channelURL: backlog.channelURL), after: backlog.cursor,
        through: backlog.lastEventID)
    }
    level = OutboxLevel(count: contents.eventCount, oldest: contents.oldest)
    counters.publish(level)
  }

  private func didQueue(_ arrivals: [OutboxArrival]) {
    guard lanes == nil else { return didQueueInLanes(arrivals) }
    for arrival in arrivals {
      schedule.didQueue(arrival.channelURL, eventID: arrival.eventID)
      level.add(at: arrival.timestamp)
    }
    counters.publish(level)
  }

  private func read(_ turns: [Turn]) {
    let readings = turns.compactMap { turn -> DeliveryReading? in
      guard let term = term(ofChannel: turn.path.channelURL) else {
        postpone(turn)
        return nil
      }
      // A failed batch is sent again unchanged, so that it can keep its name.
      let through = names[turn.path].map { min($0.lastEventID, turn.through) } ?? turn.through
      return DeliveryReading(
        turn: turn,
        stretch: OutboxStretch(
          channelURL: turn.path.channelURL, after: turn.after, through: through),
        term: term)
    }
    let door = door
    let share = share(ofChannels: readings.lazy.map(\.stretch.channelURL))
    store.perform(OutboxReading(readings.map(\.stretch), in: share)) {
      door.post(.didRead(readings, $0))
    }
  }

  private func didRead(
    _ readings: [DeliveryReading], _ result: Result<OutboxReading.Batches, StoreError>
  ) {
    guard ending == nil else { return }
    switch result {
    case .failure(let error):
      logger.debug("events for webhooks can't be read", metadata: ["reason": "\(error)"])
      for reading in readings { postpone(reading.turn) }
    case .success(let batches):
      didLose(batches.lost)
      for (reading, events) in zip(readings, batches.events) {
        if term(ofChannel: reading.stretch.channelURL) != reading.term {
          // Another server may have posted the events since.
          postpone(reading.turn)
        } else if events.isEmpty {
          // The events were removed because too many were waiting.
          names[reading.turn.path] = nil
          schedule.didDeliver(reading.turn.path, through: reading.stretch.through)
        } else {
          post(events, for: reading.turn)
        }
      }
    }
  }

  private func post(_ events: [OutboxEvent], for turn: Turn) {
    let name = names[turn.path].flatMap { $0.isName(of: events) ? $0 : nil } ?? newName(of: events)
    names[turn.path] = name
    let body = WebhookEncoder.body(
      id: name.id, createdAt: name.createdAt, events: events.map(\.json))
    let isSent = send(
      Delivery(
        receiver: turn.path.receiver, purpose: .events(turn, events), id: name.id, body: body))
    if !isSent { postpone(turn) }
  }

  private func newName(of events: [OutboxEvent]) -> DeliveryName {
    DeliveryName(
      id: SecureRandom.hex(byteCount: 16), createdAt: SystemClock.unixMilliseconds,
      firstEventID: events.first?.id ?? 0, lastEventID: events.last?.id ?? 0, count: events.count)
  }

  /// - Returns: Whether libcurl accepted the delivery.
  func send(_ delivery: Delivery) -> Bool {
    let url = receivers[delivery.receiver].url
    let transfer = DeliveryTransfer(delivery, url: url, configuration: configuration)
    return transfer.map(loop.add) ?? false
  }

  /// Retries later, when the failure is not the receiver's fault.
  func postpone(_ turn: Turn) {
    schedule.didFail(turn.path, at: now, random: UInt64.random(in: 0 ... .max))
  }
}
