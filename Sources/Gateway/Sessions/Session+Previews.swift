import Basics
import Channels
import Configuration
import LinkPreview
import ParleyProtocol
import Reactor
import Unfurler

/// The preview fetches that a session waits for.
///
/// Confined to the session's shard.
final class PreviewFetches {
  struct Fetch {
    let link: Link
    let address: ReplyAddress
    /// Milliseconds.
    let timeout: Int64
    /// The client's id for the fetch.
    let id: String?
    /// `nil` while the cache is being read.
    var demand: PreviewDemand?
  }

  private var fetches: [CallTicket: Fetch] = [:]

  /// The largest number of pages that are fetched for one connection at the same time.
  static let maximumCount = 4

  /// The number of pages that are being fetched.
  var count: Int { fetches.values.count { $0.demand != nil } }

  func contains(id: String) -> Bool { fetches.values.contains { $0.id == id } }

  func begin(_ fetch: Fetch) { fetches[fetch.address.ticket] = fetch }

  func isUnderWay(_ address: ReplyAddress) -> Bool { fetches[address.ticket] != nil }

  func attach(_ demand: PreviewDemand, to address: ReplyAddress) {
    fetches[address.ticket]?.demand = demand
  }

  /// Ends a fetch; `nil` when it has already ended.
  func end(_ address: ReplyAddress) -> Fetch? { fetches.removeValue(forKey: address.ticket) }

  /// Ends the fetch with this id.
  func end(id: String) -> Fetch? {
    fetches.values.first { $0.id == id }.flatMap { end($0.address) }
  }

  /// Ends all fetches.
  func endAll() -> [Fetch] {
    defer { fetches = [:] }
    return Array(fetches.values)
  }
}

/// The calls about previews.
extension Session {
  func fetch(
    _ command: PreviewFetch, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) throws(ServiceError) {
    let previews = try shard.services.previewsForClients()
    let link = try Link(requested: command.url)
    if let id = command.fetchID, fetches?.contains(id: id) == true {
      throw ServiceError(
        .alreadyExists, "the fetch \(DisplayText.excerpt(id)) is under way", field: "fetch_id")
    }
    let fetches = fetches ?? PreviewFetches()
    self.fetches = fetches
    let timeout = command.timeout ?? shard.settings.unfurl.timeoutMilliseconds
    fetches.begin(.init(link: link, address: address, timeout: timeout, id: command.fetchID))
    let path = shard.returnPath
    previews.recall(link, for: .user(caller.user.id)) { outcome in
      path.resume { shard in
        guard let session = shard.session(address.session),
          session.fetches?.isUnderWay(address) == true
        else { return }
        if let outcome {
          session.finishFetch(address, outcome)
        } else {
          session.demand(link, timeout, for: caller.user.id, address)
        }
      }
    }
  }

  func cancel(_ command: PreviewCancel, _ address: ReplyAddress) {
    let fetch = fetches?.end(id: command.fetchID)
    if let fetch { callOff(fetch) }
    reply(
      .success(JSONWriter.bytes { $0.object { $0.member("cancelled", fetch != nil) } }),
      to: address)
  }

  /// Answers all fetches as cancelled.
  func cancelFetches() {
    for fetch in fetches?.endAll() ?? [] { callOff(fetch) }
  }

  /// Fetches a page that is not cached, within the limits of the connection and the user.
  private func demand(
    _ link: Link, _ timeout: Int64, for userID: String, _ address: ReplyAddress
  ) {
    let services = shard.services
    guard let previews = services.previews else { return }
    if let error = refusal(of: userID) {
      _ = fetches?.end(address)
      return reply(.failure(error), to: address)
    }
    let path = shard.returnPath
    let demand = previews.demand(
      link, for: .user(userID), within: .milliseconds(timeout)
    ) { outcome in
      // An outcome that another server had cached does not count as a fetch.
      if outcome.isCached { services.previewRates.giveBack(userID) }
      path.resume { $0.session(address.session)?.finishFetch(address, outcome) }
    }
    fetches?.attach(demand, to: address)
  }

  private func refusal(of userID: String) -> ServiceError? {
    let services = shard.services
    guard fetches?.count ?? 0 < PreviewFetches.maximumCount else {
      return .tooManyFetches(limit: PreviewFetches.maximumCount)
    }
    let limit = shard.settings.limits.previewFetchesPerSecond
    let wait = services.previewRates.admit(userID, at: SystemClock.monotonicMilliseconds)
    return wait.map { .rateLimited(retryAfter: $0, limit: limit, window: 1000, scope: "user") }
  }

  private func finishFetch(_ address: ReplyAddress, _ outcome: PreviewOutcome) {
    guard let fetch = fetches?.end(address) else { return }
    answer(fetch, outcome)
  }

  private func callOff(_ fetch: PreviewFetches.Fetch) {
    fetch.demand?.cancel()
    answer(fetch, .cancelled)
  }

  private func answer(_ fetch: PreviewFetches.Fetch, _ outcome: PreviewOutcome) {
    shard.services.previews?.countDemand(outcome)
    reply(
      .success(
        JSONWriter.bytes { outcome.encode(of: fetch.link, within: fetch.timeout, into: &$0) }),
      to: fetch.address)
  }
}

extension ServiceError {
  /// The refusal when the largest number of pages is already being fetched for a connection.
  fileprivate static func tooManyFetches(limit: Int) -> ServiceError {
    ServiceError(
      .rateLimited, "\(limit) fetches of this connection are under way",
      data: ErrorDetails(
        retryAfterMilliseconds: 1000, limit: Int64(limit), windowMilliseconds: 0,
        scope: "connection"))
  }
}
