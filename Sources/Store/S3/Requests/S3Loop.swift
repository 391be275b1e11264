import Basics
import CCurl
import Curl
import Logging

/// Executes requests, and retries those that fail because of the bucket or the network; confined to its
/// thread.
final class S3Loop: CurlLoopOwner {
  /// A failed request that waits for its next attempt.
  private struct Delayed {
    let order: S3Order
    let time: ContinuousClock.Instant
  }

  private static let backoff = Backoff(first: 200, limit: 60_000, jitter: .equal)

  private let account: S3Account
  private let health: S3Health
  private let loop: CurlLoop<S3Transfer>
  private var queue: CurlQueue<S3Turns, S3Transfer>
  private var delayed: [Delayed] = []

  init(_ loop: CurlLoop<S3Transfer>, account: S3Account, health: S3Health) {
    self.loop = loop
    self.account = account
    self.health = health
    queue = CurlQueue(loop, turns: S3Turns())
  }

  func receive(_ call: S3Call) {
    switch call {
    case .send(let order):
      guard queue.admits(order) else { return order.completion(.failure(.overloaded)) }
      queue.append(order)
    case .cancel(let id):
      if queue.cancel(id) == nil { delayed.removeAll { $0.order.id == id } }
    }
  }

  func startTransfers() -> ContinuousClock.Instant? {
    let now = ContinuousClock.now
    for order in queue.removeExpired(at: now) {
      order.completion(.failure(.overloaded))
    }
    for order in delayed.filter({ $0.time <= now }).map(\.order) { queue.append(order) }
    delayed.removeAll { $0.time <= now }
    while let order = queue.next() {
      guard let transfer = S3Transfer(order, to: account) else {
        queue.giveUp(order)
        order.completion(.failure(S3Error("out of memory")))
        continue
      }
      if !queue.begin(transfer) { order.completion(.failure(S3Error("out of memory"))) }
    }
    return [queue.wakeUp, delayed.map(\.time).min()].compactMap { $0 }.min()
  }

  func didEnd(_ transfer: S3Transfer, _ result: CURLcode) {
    queue.end(transfer)
    switch transfer.outcome(result) {
    case .success(let response):
      health.succeeded()
      transfer.request.completion(.success(response))
    case .transient(let error): retry(transfer.request, after: error)
    case .final(let error): fail(transfer.request, error)
    }
  }

  func stop() {
    let waiting = queue.removeAll().map(\.request) + delayed.map(\.order)
    delayed = []
    for order in waiting { order.completion(.failure(.closed)) }
  }

  private func retry(_ order: S3Order, after error: S3Error) {
    var order = order
    order.failureCount += 1
    let wait = Self.backoff.wait(after: order.failureCount, random: .random(in: 0 ... .max))
    let time = ContinuousClock.now.advanced(by: .milliseconds(wait))
    guard time < order.deadline else { return fail(order, error) }
    if case .unlimited = order.request.patience { health.failed(error) }
    delayed.append(Delayed(order: order, time: time))
  }

  /// Ends a request, or restarts it much later if it must succeed.
  private func fail(_ order: S3Order, _ error: S3Error) {
    health.failed(error)
    switch order.request.patience {
    case .seconds: order.completion(.failure(error))
    case .unlimited:
      let time = ContinuousClock.now.advanced(by: .milliseconds(Self.backoff.limit))
      delayed.append(Delayed(order: order, time: time))
    }
  }
}

/// The state of a bucket in the log: one line when it starts to fail, and one when it works again.
final class S3Health {
  private let logger: Logger
  private var isFailing = false

  init(logger: Logger) { self.logger = logger }

  func failed(_ error: S3Error) {
    guard !isFailing else { return }
    isFailing = true
    logger.error(
      "files.store fails; files can be neither sent nor read, messages go on",
      metadata: ["reason": "\(error)"])
  }

  func succeeded() {
    guard isFailing else { return }
    isFailing = false
    logger.notice("files.store works again")
  }
}
