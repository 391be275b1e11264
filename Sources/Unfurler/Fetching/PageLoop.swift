import CCurl
import LinkPreview
import ParleyProtocol

/// The pages that one unfurler fetches; confined to its loop's thread.
final class PageLoop: CurlLoopOwner {
  /// What other threads ask for.
  enum Request: Sendable {
    case start(Fetch)
    case cancel(UInt64)
  }

  private let configuration: UnfurlerConfiguration
  private let loop: CurlLoop<Transfer>
  private let fields: CurlList
  private var queue: FetchQueue
  private var transfers: [UInt64: Transfer] = [:]
  private var nextSweep = ContinuousClock.now

  /// How often waiting fetches are looked through for those whose deadline has passed.
  private static let sweepInterval = Duration.milliseconds(100)

  init(_ loop: CurlLoop<Transfer>, configuration: UnfurlerConfiguration) {
    self.configuration = configuration
    self.loop = loop
    fields = CurlList([
      "Accept: text/html,application/xhtml+xml;q=0.9",
      "Accept-Language: en,*;q=0.5",
    ])
    queue = FetchQueue(
      maximumActive: configuration.maximumTransfers,
      maximumActivePerHost: configuration.maximumTransfersPerHost)
  }

  func receive(_ request: Request) {
    switch request {
    case .start(let fetch):
      guard queue.waitingCount < configuration.maximumWaiting else {
        return fetch.completion(UnfurlReport(.failure(.failed("too many links are waiting"))))
      }
      admit(fetch)
    case .cancel(let id): cancel(id)
    }
  }

  /// Checks what a URL alone can tell, and lets the fetch wait for its turn.
  private func admit(_ fetch: Fetch) {
    if let reason = refusal(of: fetch.url) {
      fetch.completion(UnfurlReport(.failure(.failed(reason))))
    } else {
      queue.append(fetch)
    }
  }

  private func refusal(of url: WebURL) -> String? {
    guard configuration.portPolicy.permits(url.port) else {
      return "port \(url.port) is not allowed"
    }
    if case .address(let address) = url.host, !configuration.addressPolicy.permits(address) {
      return "\(address) is not a public address"
    }
    return nil
  }

  private func cancel(_ id: UInt64) {
    if let transfer = transfers[id] {
      loop.remove(transfer)
      forget(transfer)
      transfer.fetch.completion(.cancelled)
    } else {
      for fetch in queue.removeWaiting(where: { $0.id == id }) {
        fetch.completion(.cancelled)
      }
    }
  }

  func stop() {
    for id in Array(transfers.keys) { cancel(id) }
    for fetch in queue.removeWaiting(where: { _ in true }) {
      fetch.completion(.cancelled)
    }
  }

  private func sweep() {
    let now = ContinuousClock.now
    guard queue.waitingCount > 0, now >= nextSweep else { return }
    nextSweep = now.advanced(by: Self.sweepInterval)
    for fetch in queue.removeWaiting(where: { $0.deadline <= now }) {
      fetch.completion(UnfurlReport(.failure(.timedOut)))
    }
  }

  func startTransfers() -> ContinuousClock.Instant? {
    sweep()
    while let fetch = queue.start() {
      let transfer = Transfer(fetch, configuration: configuration, fields: fields)
      guard let transfer, loop.add(transfer) else {
        queue.finish(fetch.hostKey)
        fetch.completion(UnfurlReport(.failure(.unknown)))
        continue
      }
      transfers[fetch.id] = transfer
    }
    return queue.waitingCount > 0 ? nextSweep : nil
  }

  func didEnd(_ transfer: Transfer, _ result: CURLcode) {
    forget(transfer)
    switch transfer.outcome(of: result) {
    case .answer(let answer): transfer.fetch.completion(UnfurlReport(answer))
    case .redirect(let location): follow(location, from: transfer.fetch)
    }
  }

  private func follow(_ location: String, from fetch: Fetch) {
    guard fetch.redirects < configuration.maximumRedirects else {
      return fetch.completion(UnfurlReport(.failure(.failed("too many redirects"))))
    }
    guard !location.utf8.contains(UInt8(ascii: "\\")),
      let url = WebURL(location, relativeTo: fetch.url)
    else {
      return fetch.completion(
        UnfurlReport(.failure(.failed("redirected to what is not an http or https URL"))))
    }
    var next = fetch
    next.url = url
    next.redirects += 1
    admit(next)
  }

  private func forget(_ transfer: Transfer) {
    transfers[transfer.fetch.id] = nil
    queue.finish(transfer.fetch.hostKey)
  }
}
