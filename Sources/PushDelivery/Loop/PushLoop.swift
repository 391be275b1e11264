import Basics
import CCurl
import Channels
import Curl
import Lanes
import Logging
import ParleyProtocol
import Push
import Reactor
import Store

/// Sends the pushes of the store's jobs; confined to its thread.
///
/// A due job is read from the store, then its recipients, who are judged, then the numbers of their unread
/// messages. Its pushes wait in the queue until their turn. The outcomes are recorded for many jobs in one
/// transaction.
final class PushLoop: CurlLoopOwner {
  let loop: CurlLoop<PushTransfer>
  let store: Store
  let door: PushDoor
  let counters: PushCounters
  let logger: Logger

  var senders: PushSenders
  var judge: PushJudge
  var queue: PushQueue<QueuedPush>
  var expansions = PushExpansions<ExpandedPage>()
  var ledger = PushLedger()
  var circuits = HostCircuits()
  var health = PushWay.allCases.map { PushWayHealth($0) }
  var ownAddresses: OwnAddresses
  var clearing = ClearingSchedule()
  /// `nil` on a single server, which delivers all lanes.
  var lanes: PushLanes?

  /// The time of the next reading of jobs; `nil` when there is none before a new job comes.
  var readingDue: Int64? = .min
  var isReadingJobs = false
  /// Whether jobs wait for another one of their channel.
  var hasDeferredJobs = false
  /// The time before which storing outcomes is not retried after a failure.
  var recordingPausedUntil = Int64.min
  /// The time of the next record of outcomes, if there are any.
  var recordingDue = Int64.min
  private var tokenCountDue = Int64.min
  /// The time of the next count of jobs; `nil` while their number does not change.
  private var backlogCountDue: Int64? = .min
  private(set) var ending: Ending?

  struct Ending {
    let deadline: Int64
    let completion: @Sendable () -> Void
  }

  /// The interval at which devices are counted, in milliseconds.
  private static let tokenCountInterval: Int64 = 60_000
  /// The least time between two counts of jobs, in milliseconds.
  private static let backlogCountInterval: Int64 = 1_000
  /// The time for a server to free a lane after its last request, in milliseconds.
  private static let handoverMargin: Int64 = 3_000

  init(
    _ loop: CurlLoop<PushTransfer>, configuration: PushConfiguration, store: Store,
    cluster: LaneCluster?, isAttending: @escaping @Sendable (_ userID: String) -> Bool,
    door: PushDoor, counters: PushCounters, logger: Logger
  ) {
    self.loop = loop
    self.store = store
    self.door = door
    self.counters = counters
    self.logger = logger
    senders = PushSenders(configuration)
    judge = PushJudge(configuration, isAttending: isAttending)
    queue = PushQueue(concurrency: configuration.concurrency)
    ownAddresses = OwnAddresses(configuration.ownAddresses)
    lanes = cluster.map {
      PushLanes($0, handoverTime: configuration.timeout + Self.handoverMargin)
    }
  }

  var now: Int64 { SystemClock.monotonicMilliseconds }

  var configuration: PushConfiguration { senders.configuration }

  func receive(_ request: PushLoopRequest) {
    switch request {
    case .queued(let arrivals): didQueue(arrivals)
    case .hinted(let lanes): didHint(lanes)
    case .configure(let new): adopt(new)
    case .didReadJobs(let result, let limit): didReadJobs(result, limit: limit)
    case .didReadAudience(let jobID, let result): didReadAudience(jobID, result)
    case .didReadBadges(let jobID, let page, let result): didReadBadges(jobID, page, result)
    case .didRecord(let progress, let result): didRecord(progress, result)
    case .didReadLanes(let result): didReadLanes(result)
    case .didClaim(let result): didClaim(result)
    case .didCountTokens(let result):
      if case .success(let counts) = result { counters.publish(counts) }
    case .didCountBacklog(let result):
      if case .success(let backlog) = result { counters.publish(backlog) }
    case .didRead(let userID, let channelURL): didRead(userID, channelURL)
    case .clear(let userID, let channelURL, let tokens, let badge):
      clear(userID, channelURL, tokens, badge: badge)
    case .didNotClear: clearing.didEndReading()
    case .test(let userID, let tokens, let badge, let completion):
      startTest(of: userID, tokens, badge: badge, completion)
    case .explain(let userID, let page, let completion):
      completion(explanation(of: page, for: userID))
    case .report(let completion): completion(report)
    case .finish(let completion): finish(completion)
    }
  }

  func startTransfers() -> ContinuousClock.Instant? {
    releaseExpansions()
    recordProgress()
    if let ending {
      leaveLanes()
      if loop.isIdle && ledger.isIdle || now >= ending.deadline {
        abandonLanes()
        ending.completion()
      }
      return .now.advanced(by: .milliseconds(20))
    }
    keepLanes()
    readJobs()
    startClearing()
    sendPushes()
    countTokens()
    countBacklog()
    return wakeUp.map { .now.advanced(by: .milliseconds(max(0, $0 == .min ? 0 : $0 - now))) }
  }

  func didEnd(_ transfer: PushTransfer, _ result: CURLcode) {
    switch transfer.purpose {
    case .access(let account): didRequestAccess(account, transfer.answer(result))
    case .push(let turn, let credential, let ticket):
      didSend(turn, credential, ticket, transfer, result)
    }
  }

  func stop() {
    for transfer in loop.removeAll() {
      if case .push(let turn, _, _) = transfer.purpose { abandonTest(turn.push) }
    }
    for push in queue.remove(where: { _ in true }) { abandonTest(push) }
  }

  /// The time of the next call of ``startTransfers()``; `nil` when only events matter.
  private var wakeUp: Int64? {
    var times = [lanes?.surveyDue, clearing.due, tokenCountDue, backlogCountDue]
    if canReadJobs { times.append(readingDue) }
    if ledger.hasOutcomes { times.append(max(recordingDue, recordingPausedUntil)) }
    return times.compactMap(\.self).min()
  }

  private func adopt(_ new: PushConfiguration) {
    senders.adopt(new)
    judge.adopt(new)
    queue.concurrency = new.concurrency
    queue.resumeAll()
    ownAddresses = OwnAddresses(new.ownAddresses)
  }

  private func finish(_ completion: @escaping @Sendable () -> Void) {
    ending = Ending(deadline: now + configuration.endingTime, completion: completion)
    withdraw { _ in true }
  }

  private func countTokens() {
    guard now >= tokenCountDue else { return }
    tokenCountDue = now + Self.tokenCountInterval
    let door = door
    store.perform(PushTokenCounts(), for: .server) { result, _ in
      door.post(.didCountTokens(result))
    }
  }

  /// Counts the jobs soon.
  func backlogMayChange() {
    if backlogCountDue == nil { backlogCountDue = now + Self.backlogCountInterval }
  }

  private func countBacklog() {
    guard let due = backlogCountDue, due <= now else { return }
    backlogCountDue = nil
    let door = door
    store.perform(PushBacklogCount(in: lanes?.share ?? .everything), for: .server) { result, _ in
      door.post(.didCountBacklog(result))
    }
  }
}
