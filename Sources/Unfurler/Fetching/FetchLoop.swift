import Basics
import CCurl
import Curl
import LinkPreview

/// The fetches of one unfurler; confined to its loop's thread.
final class FetchLoop: CurlLoopOwner {
  /// A request from another thread.
  enum Request: Sendable {
    case start(Fetch)
    case cancel(UInt64)
  }

  private let configuration: UnfurlerConfiguration
  private let forms: RequestForms
  private var queue: CurlQueue<FetchTurns<Fetch>, Transfer>
  private var ownAddresses: OwnAddresses

  init(_ loop: CurlLoop<Transfer>, configuration: UnfurlerConfiguration) {
    self.configuration = configuration
    ownAddresses = OwnAddresses(configuration.ownAddresses)
    forms = RequestForms(configuration)
    let limits = TurnLimits(
      active: configuration.maximumTransfers,
      activePerSite: configuration.maximumTransfersPerSite,
      activePerUser: configuration.maximumTransfersPerUser,
      waiting: configuration.maximumWaiting)
    queue = CurlQueue(loop, turns: FetchTurns(limits))
  }

  func receive(_ request: Request) {
    switch request {
    case .start(let fetch):
      guard queue.admits(fetch) else {
        return fetch.turnAway(.failed("too many links are waiting (\(queue.waitingCount))"))
      }
      admit(fetch)
    case .cancel(let id): queue.cancel(id)?.request.cancel()
    }
  }

  func startTransfers() -> ContinuousClock.Instant? {
    let now = ContinuousClock.now
    for fetch in queue.removeExpired(at: now) { fetch.expire(at: now) }
    while let fetch = queue.next() { start(fetch) }
    return queue.wakeUp
  }

  func didEnd(_ transfer: Transfer, _ result: CURLcode) {
    queue.end(transfer)
    let (outcome, ending) = transfer.conclude(result)
    var fetch = transfer.request
    fetch.note(transfer.trace(ending: ending), transfer.freshness(of: outcome))
    switch outcome {
    case .page(let report): finish(fetch, with: report)
    case .embed(let response):
      guard case .embed(let report) = fetch.purpose else { return fetch.fail(.unknown) }
      fetch.succeed(with: report.completed(with: response))
    case .picture(let bytes): fetch.succeed(withPicture: bytes)
    case .redirect(let location): follow(location, fetch)
    case .encoded:
      fetch.repeatUndecoded(at: .now)
      admit(fetch)
    case .nothing(let reason): fetch.decline(reason)
    case .failure(let error): fetch.fail(error)
    }
  }

  func stop() {
    for cancelled in queue.removeAll() { cancelled.request.cancel() }
  }

  /// Checks the URL, and queues the fetch.
  private func admit(_ fetch: Fetch) {
    if let reason = refusal(of: fetch.url) {
      fetch.fail(.failed(reason))
    } else {
      queue.append(fetch)
    }
  }

  private func refusal(of url: WebURL) -> String? {
    if let reason = configuration.domainRules.refusal(of: url.host) { return reason }
    guard configuration.portPolicy.permits(url.port) else {
      return "port \(url.port) is not allowed"
    }
    guard case .address(let address) = url.host else { return nil }
    switch addressPolicy().refusal(of: address)?.reason {
    case .notPublic: return "\(address) is not a public address"
    case .ownAddress: return "\(address) is an address of this machine"
    case nil: return nil
    }
  }

  private func addressPolicy() -> AddressPolicy {
    var policy = configuration.addressPolicy
    policy.ownAddresses = ownAddresses.current(at: .now)
    return policy
  }

  private func start(_ waiting: Fetch) {
    var fetch = waiting
    fetch.noteStart(at: .now)
    guard let easy = forms.makeEasy(for: fetch.purpose, fetch.decoding) else {
      queue.giveUp(fetch)
      return fetch.turnAway(.unknown)
    }
    let connections = ConnectionGuard(addressPolicy(), usesProxy: configuration.proxy != nil)
    let transfer = Transfer(
      fetch, easy, connections, maximumBytes: configuration.maximumBytes)
    if !queue.begin(transfer) { fetch.turnAway(.unknown) }
  }

  private func finish(_ page: Fetch, with report: PageReport) {
    guard configuration.usesEmbeds, report.isWorthCompleting, let url = report.embedURL else {
      return page.succeed(with: report)
    }
    var fetch = page
    fetch.complete(report, from: url, at: .now)
    admit(fetch)
  }

  private func follow(_ location: String, _ redirected: Fetch) {
    let limit = configuration.maximumRedirects
    switch RedirectTarget(location, after: redirected.path, limit: limit) {
    case .refuse(let reason): redirected.fail(.failed(reason))
    case .follow(let url):
      var fetch = redirected
      fetch.redirect(to: url, at: .now)
      admit(fetch)
    }
  }
}
