import CCurl
import LinkPreview

/// The questions of one remote unfurler; confined to its loop's thread.
final class RemoteLoop: CurlLoopOwner {
  /// What other threads ask for.
  enum Request: Sendable {
    case start(Fetch)
    case cancel(UInt64)
  }

  private let loop: CurlLoop<RemoteTransfer>
  private let service: WebURL
  private let configuration: RemoteUnfurlerConfiguration
  private let health: ServiceHealth
  private let fields = CurlList(["Content-Type: application/json", "Accept: application/json"])
  private var queue: FetchQueue
  private var transfers: [UInt64: RemoteTransfer] = [:]
  private var nextSweep = ContinuousClock.now

  /// How often waiting links are looked through for those whose deadline has passed.
  private static let sweepInterval = Duration.milliseconds(100)

  init(
    _ loop: CurlLoop<RemoteTransfer>, service: WebURL,
    configuration: RemoteUnfurlerConfiguration, health: ServiceHealth
  ) {
    self.loop = loop
    self.service = service
    self.configuration = configuration
    self.health = health
    queue = FetchQueue(
      maximumActive: configuration.maximumRequests,
      maximumActivePerHost: configuration.maximumRequests)
  }

  func receive(_ request: Request) {
    switch request {
    case .start(let fetch):
      guard queue.waitingCount < configuration.maximumWaiting else {
        return fetch.finish(with: health.failure("too many links are waiting for it"))
      }
      queue.append(fetch)
    case .cancel(let id): cancel(id)
    }
  }

  func startTransfers() -> ContinuousClock.Instant? {
    sweep()
    refuseWaiting()
    while let fetch = queue.start() { start(fetch) }
    return queue.waitingCount > 0 ? nextSweep : nil
  }

  func didEnd(_ transfer: RemoteTransfer, _ result: CURLcode) {
    forget(transfer)
    switch result {
    case CURLE_OK: finish(transfer)
    case CURLE_OPERATION_TIMEDOUT:
      health.fail(transfer.ticket, "no answer in time")
      transfer.fetch.finish(with: UnfurlReport(.failure(.timedOut), freshness: .unkept))
    case _ where transfer.isTooLarge: fail(transfer, "its answer is too large")
    default: fail(transfer, String(cString: curl_easy_strerror(result)))
    }
  }

  func stop() {
    for id in Array(transfers.keys) { cancel(id) }
    for fetch in queue.removeWaiting(where: { _ in true }) { fetch.cancel() }
  }

  private func start(_ fetch: Fetch) {
    switch health.admit() {
    case .failure(let refused):
      queue.finish(fetch.hostKey)
      fetch.finish(with: refused.report)
    case .success(let ticket):
      let transfer = RemoteTransfer(
        fetch, ticket, service: service, configuration: configuration, fields: fields)
      guard let transfer, loop.add(transfer) else {
        health.withdraw(ticket)
        queue.finish(fetch.hostKey)
        return fetch.finish(with: UnfurlReport(.failure(.unknown), freshness: .unkept))
      }
      transfers[fetch.id] = transfer
    }
  }

  private func finish(_ transfer: RemoteTransfer) {
    do {
      let report = try transfer.answer.report()
      health.succeed()
      transfer.fetch.finish(with: report)
    } catch {
      fail(transfer, "\(error)")
    }
  }

  private func fail(_ transfer: RemoteTransfer, _ reason: String) {
    health.fail(transfer.ticket, reason)
    transfer.fetch.finish(with: health.failure(reason))
  }

  private func cancel(_ id: UInt64) {
    if let transfer = transfers[id] {
      // Breaks the connection off, which tells the service that nobody waits any more.
      loop.remove(transfer)
      forget(transfer)
      health.withdraw(transfer.ticket)
      transfer.fetch.cancel()
    } else {
      queue.removeWaiting(id)?.cancel()
    }
  }

  /// Nobody waits for a turn that will not come.
  private func refuseWaiting() {
    guard queue.waitingCount > 0, let refusal = health.refusal else { return }
    for fetch in queue.removeWaiting(where: { _ in true }) { fetch.finish(with: refusal) }
  }

  private func sweep() {
    let now = ContinuousClock.now
    guard queue.waitingCount > 0, now >= nextSweep else { return }
    nextSweep = now.advanced(by: Self.sweepInterval)
    for fetch in queue.removeWaiting(where: { $0.deadline <= now }) {
      fetch.finish(with: UnfurlReport(.failure(.timedOut), freshness: .unkept))
    }
  }

  private func forget(_ transfer: RemoteTransfer) {
    transfers[transfer.fetch.id] = nil
    queue.finish(transfer.fetch.hostKey)
  }
}
