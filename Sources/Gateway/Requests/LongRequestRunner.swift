import Cluster
import Logging
import Reactor
import Store

/// Works at long requests, one at a time, on the first shard.
///
/// Of several servers one works at a time: it has a lease in the request's row, which it renews. A server
/// that ends leaves the request to another one, or to its own next start.
final class LongRequestRunner: TimerHandler {
  private unowned let shard: Shard
  private var run = LongRequestRun()
  private var request: LongRequest?
  private var work: (any LongWork)?
  /// Fires at the end of a wait.
  private var wait: EventLoop.TimerToken?
  private var renewal: Renewal?
  private var isClaiming = false
  /// Whether a request was added while the store was asked for one.
  private var isWoken = false

  init(on shard: Shard) {
    self.shard = shard
    act(.claim)
  }

  /// Looks for requests at once, after one was added.
  func wake() {
    guard !isClaiming else { return isWoken = true }
    guard !run.isBusy else { return }
    if let wait { shard.loop.cancel(wait) }
    wait = nil
    act(.claim)
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    wait = nil
    act(run.next)
  }

  /// The name by which leases know this server; a single server takes its own back at once.
  private var server: String {
    shard.services.network == nil ? "" : shard.services.serverID.description
  }

  private func act(_ action: LongRequestRun.Action) {
    guard shard.services.stage != .draining else { return }
    switch action {
    case .claim: claim()
    case .work:
      work?.step { [weak self] step in self?.didStep(step) }
    case .record(let position, let part): record(position, part)
    case .end(let ending): end(ending)
    case .drop(let time): drop(after: time)
    case .idle:
      // Requests of a single server come by itself.
      guard shard.services.network != nil else { return }
      wait = shard.loop.schedule(after: LongRequestRun.lookInterval, self)
    case .wait(let time): wait = shard.loop.schedule(after: time, self)
    }
  }

  /// Looks first, because a claim is a transaction that writes.
  private func claim() {
    (isClaiming, isWoken) = (true, false)
    let path = shard.returnPath
    shard.services.store.perform(OpenLongRequests()) { result in
      path.resume { shard in
        guard let runner = shard.longRequests else { return }
        switch result {
        case .success(true): runner.claimOldest()
        case .success(false): runner.begin(nil)
        case .failure(.closed): break
        case .failure: runner.failToClaim()
        }
      }
    }
  }

  private func failToClaim() {
    isClaiming = false
    act(.wait(LongRequestRun.failureInterval))
  }

  private func claimOldest() {
    let now = shard.services.clock.now
    let claim = LongRequestClaim(by: server, at: now, until: now + LongRequestRun.lease)
    perform(claim) { runner, result in
      switch result {
      case .success(let request):
        runner.begin(request)
      case .failure: runner.failToClaim()
      }
    }
  }

  private func begin(_ request: LongRequest?) {
    isClaiming = false
    if request == nil, isWoken { return act(.claim) }
    self.request = request
    work = request.map(makeWork)
    if let request { renewal = Renewal(of: request, on: shard) }
    act(run.didClaim(request != nil))
  }

  private func makeWork(at request: LongRequest) -> any LongWork {
    switch request.kind {
    case .export: ExportWork(at: request, on: shard)
    case .privacy where request.subject == PrivacyParameters.Action.access.rawValue:
      ArchiveWork(at: request, on: shard)
    case .privacy: ErasureWork(at: request, on: shard)
    }
  }

  private func didStep(_ step: LongRequestRun.Step) {
    switch step {
    case .failed(let reason): log(.warning, "a long request failed", reason)
    case .postponed(let reason):
      log(.warning, "a long request is interrupted; the next try is in 10 seconds", reason)
      release()
    case .advanced, .finished, .lost: break
    }
    act(run.didStep(step))
  }

  private func record(_ position: String, _ part: LongRequestProgress.Part?) {
    guard let request else { return drop(after: LongRequestRun.lookInterval) }
    let now = shard.services.clock.now
    let progress = LongRequestProgress(
      request, position: position, part: part, at: now, until: now + LongRequestRun.lease,
      fileUntil: now + LongFile.lifetime)
    perform(progress) { runner, result in
      runner.act(runner.run.didRecord(try? result.get()))
    }
  }

  private func end(_ ending: LongRequestEnd.Ending) {
    guard let request else { return drop(after: LongRequestRun.lookInterval) }
    perform(LongRequestEnd(request, ending, at: shard.services.clock.now)) { runner, result in
      if case .success = result { runner.work?.didEnd() }
      runner.act(runner.run.didEnd(try? result.get()))
    }
  }

  /// Ends the lease, so that another server may take the request before the next try: it may have the key, or
  /// reach the place of files, that this one lacks.
  private func release() {
    guard let request else { return }
    renewal?.end()
    shard.services.store.perform(LongRequestRenewal(request, until: 0)) { _ in }
  }

  private func drop(after time: Int64) {
    renewal?.end()
    (request, work, renewal) = (nil, nil, nil)
    act(.wait(time))
  }

  private func perform<Write: StoreWrite>(
    _ write: Write,
    _ next: @escaping @Sendable (LongRequestRunner, Result<Write.Outcome, StoreError>) -> Void
  ) {
    let path = shard.returnPath
    shard.services.store.perform(write) { result in
      path.resume { shard in
        if case .failure(.closed) = result { return }
        if let runner = shard.longRequests { next(runner, result) }
      }
    }
  }

  private func log(_ level: Logger.Level, _ message: Logger.Message, _ reason: String) {
    guard let request else { return }
    shard.services.logger.log(
      level: level, message,
      metadata: [
        "request_id": "\(request.id)", "kind": "\(request.kind.rawValue)",
        "subject": "\(request.subject)", "reason": "\(reason)",
      ])
  }
}

/// Renews the lease of a request while the work takes long.
private final class Renewal: TimerHandler {
  private static let interval: Int64 = 10_000

  private unowned let shard: Shard
  private let request: LongRequest
  private var timer: EventLoop.TimerToken?

  init(of request: LongRequest, on shard: Shard) {
    self.request = request
    self.shard = shard
    timer = shard.loop.schedule(after: Self.interval, self)
  }

  func end() {
    if let timer { shard.loop.cancel(timer) }
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    let end = shard.services.clock.now + LongRequestRun.lease
    shard.services.store.perform(LongRequestRenewal(request, until: end)) { _ in }
    timer = shard.loop.schedule(after: Self.interval, self)
  }
}
