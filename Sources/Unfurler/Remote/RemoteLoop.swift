import CCurl
import Curl
import LinkPreview

/// The queries of one remote unfurler; confined to its loop's thread.
final class RemoteLoop: CurlLoopOwner {
  /// A request from another thread.
  enum Request: Sendable {
    case start(RemoteQuestion)
    case cancel(UInt64)
  }

  private typealias Queue = CurlQueue<FetchTurns<RemoteQuestion>, RemoteTransfer>

  private let service: WebURL
  private let configuration: RemoteUnfurlerConfiguration
  private let health: ServiceHealth
  private let fields = CurlList(["Content-Type: application/json", "Accept: application/json"])
  private var queue: Queue

  init(
    _ loop: CurlLoop<RemoteTransfer>, service: WebURL,
    configuration: RemoteUnfurlerConfiguration, health: ServiceHealth
  ) {
    self.service = service
    self.configuration = configuration
    self.health = health
    let limits = TurnLimits(
      active: configuration.maximumRequests,
      activePerSite: configuration.maximumRequestsPerSite,
      activePerUser: configuration.maximumRequestsPerUser,
      waiting: configuration.maximumWaiting)
    queue = Queue(loop, turns: FetchTurns(limits))
  }

  func receive(_ request: Request) {
    switch request {
    case .start(let question):
      guard queue.admits(question) else {
        return question.completion(health.failure("too many links are waiting for it"))
      }
      queue.append(question)
    case .cancel(let id): queue.cancel(id).map(didCancel)
    }
  }

  func startTransfers() -> ContinuousClock.Instant? {
    for question in queue.removeExpired(at: .now) {
      question.completion(UnfurlReport(.failure(.timedOut), freshness: .unkept))
    }
    refuseWaiting()
    while let question = queue.next() { start(question) }
    return queue.wakeUp
  }

  func didEnd(_ transfer: RemoteTransfer, _ result: CURLcode) {
    queue.end(transfer)
    switch transfer.response.ending(result) {
    case .complete: finish(transfer)
    case .timedOut:
      health.fail(transfer.ticket, "no answer in time")
      transfer.request.completion(UnfurlReport(.failure(.timedOut), freshness: .unkept))
    case .tooLarge: fail(transfer, "its answer is too large")
    case .broken(let reason): fail(transfer, reason)
    }
  }

  func stop() {
    for cancelled in queue.removeAll() { didCancel(cancelled) }
  }

  private func start(_ question: RemoteQuestion) {
    switch health.admit() {
    case .failure(let refused):
      queue.giveUp(question)
      question.completion(refused.report)
    case .success(let ticket):
      let transfer = RemoteTransfer(
        question, ticket, service: service, configuration: configuration, fields: fields)
      if let transfer, queue.begin(transfer) { return }
      if transfer == nil { queue.giveUp(question) }
      health.withdraw(ticket)
      question.completion(UnfurlReport(.failure(.unknown), freshness: .unkept))
    }
  }

  private func finish(_ transfer: RemoteTransfer) {
    do {
      let report = try transfer.answer.report()
      health.succeed()
      transfer.request.completion(report)
    } catch {
      fail(transfer, "\(error)")
    }
  }

  private func fail(_ transfer: RemoteTransfer, _ reason: String) {
    health.fail(transfer.ticket, reason)
    transfer.request.completion(health.failure(reason))
  }

  /// Closes the connection, which cancels the query at the service.
  private func didCancel(_ cancelled: Queue.Cancelled) {
    if case .active(let transfer) = cancelled { health.withdraw(transfer.ticket) }
    cancelled.request.completion(.cancelled)
  }

  /// Rejects all waiting queries, whose turn will not come.
  private func refuseWaiting() {
    guard queue.waitingCount > 0, let refusal = health.refusal else { return }
    for question in queue.removeWaiting() { question.completion(refusal) }
  }
}

/// A query to the service about a link.
struct RemoteQuestion: TurnRequest, Sendable {
  /// The id, unique in its unfurler.
  let id: UInt64
  let link: Link
  let requester: PreviewRequester
  /// The key of the site; queries about one site share its places.
  let siteKey: String
  let deadline: ContinuousClock.Instant
  let completion: @Sendable (UnfurlReport) -> Void
}
