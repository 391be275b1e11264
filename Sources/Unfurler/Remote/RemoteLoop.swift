import CCurl
import Curl
import LinkPreview

/// The questions of one remote unfurler; confined to its loop's thread.
final class RemoteLoop: CurlLoopOwner {
  /// A request of another thread.
  enum Request: Sendable {
    case start(RemoteQuestion)
    case cancel(UInt64)
  }

  private let loop: CurlLoop<RemoteTransfer>
  private let service: WebURL
  private let configuration: RemoteUnfurlerConfiguration
  private let health: ServiceHealth
  private let fields = CurlList(["Content-Type: application/json", "Accept: application/json"])
  private var queue: FetchTurns<RemoteQuestion>
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
    queue = FetchTurns(
      TurnLimits(
        active: configuration.maximumRequests,
        activePerSite: configuration.maximumRequestsPerSite,
        activePerUser: configuration.maximumRequestsPerUser,
        waiting: configuration.maximumWaiting))
  }

  func receive(_ request: Request) {
    switch request {
    case .start(let question):
      guard queue.admits(question.requester) else {
        return question.completion(health.failure("too many links are waiting for it"))
      }
      queue.append(question)
    case .cancel(let id): cancel(id)
    }
  }

  func startTransfers() -> ContinuousClock.Instant? {
    sweep()
    refuseWaiting()
    while let question = queue.start() { start(question) }
    return queue.waitingCount > 0 ? nextSweep : nil
  }

  func didEnd(_ transfer: RemoteTransfer, _ result: CURLcode) {
    forget(transfer)
    switch result {
    case CURLE_OK: finish(transfer)
    case CURLE_OPERATION_TIMEDOUT:
      health.fail(transfer.ticket, "no answer in time")
      transfer.question.completion(UnfurlReport(.failure(.timedOut), freshness: .unkept))
    case _ where transfer.isTooLarge: fail(transfer, "its answer is too large")
    default: fail(transfer, String(cString: curl_easy_strerror(result)))
    }
  }

  func stop() {
    for id in Array(transfers.keys) { cancel(id) }
    for question in queue.removeWaiting(where: { _ in true }) { question.completion(.cancelled) }
  }

  private func start(_ question: RemoteQuestion) {
    switch health.admit() {
    case .failure(let refused):
      queue.finish(question)
      question.completion(refused.report)
    case .success(let ticket):
      let transfer = RemoteTransfer(
        question, ticket, service: service, configuration: configuration, fields: fields)
      guard let transfer, loop.add(transfer) else {
        health.withdraw(ticket)
        queue.finish(question)
        return question.completion(UnfurlReport(.failure(.unknown), freshness: .unkept))
      }
      transfers[question.id] = transfer
    }
  }

  private func finish(_ transfer: RemoteTransfer) {
    do {
      let report = try transfer.answer.report()
      health.succeed()
      transfer.question.completion(report)
    } catch {
      fail(transfer, "\(error)")
    }
  }

  private func fail(_ transfer: RemoteTransfer, _ reason: String) {
    health.fail(transfer.ticket, reason)
    transfer.question.completion(health.failure(reason))
  }

  private func cancel(_ id: UInt64) {
    if let transfer = transfers[id] {
      // Closes the connection, which cancels the question at the service.
      loop.remove(transfer)
      forget(transfer)
      health.withdraw(transfer.ticket)
      transfer.question.completion(.cancelled)
    } else {
      queue.removeWaiting(id)?.completion(.cancelled)
    }
  }

  /// Nobody waits for a turn that will not come.
  private func refuseWaiting() {
    guard queue.waitingCount > 0, let refusal = health.refusal else { return }
    for question in queue.removeWaiting(where: { _ in true }) { question.completion(refusal) }
  }

  private func sweep() {
    let now = ContinuousClock.now
    guard queue.waitingCount > 0, now >= nextSweep else { return }
    nextSweep = now.advanced(by: Self.sweepInterval)
    for question in queue.removeWaiting(where: { $0.deadline <= now }) {
      question.completion(UnfurlReport(.failure(.timedOut), freshness: .unkept))
    }
  }

  private func forget(_ transfer: RemoteTransfer) {
    transfers[transfer.question.id] = nil
    queue.finish(transfer.question)
  }
}
