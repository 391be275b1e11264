import CCurl
import LinkPreview
import ParleyProtocol

/// The transfers of one unfurler and the loop that drives them; confined to its thread.
final class TransferLoop {
  private let configuration: UnfurlerConfiguration
  private let inbox: TransferInbox
  private let multi: UnsafeMutableRawPointer
  private let requestHeaders: RequestHeaders
  private var queue: FetchQueue
  private var transfers: [UInt64: Transfer] = [:]
  private var nextSweep = ContinuousClock.now

  /// How often waiting fetches are looked through for those whose deadline has passed.
  private static let sweepInterval = Duration.milliseconds(100)

  init?(configuration: UnfurlerConfiguration, inbox: TransferInbox) {
    guard let multi = curl_multi_init() else { return nil }
    self.configuration = configuration
    self.inbox = inbox
    self.multi = multi
    requestHeaders = RequestHeaders()
    queue = FetchQueue(
      maximumActive: configuration.maximumTransfers,
      maximumActivePerHost: configuration.maximumTransfersPerHost)
    _ = parley_curl_multi_set_long(
      multi, CURLMOPT_MAXCONNECTS, max(1, configuration.maximumTransfers))
    inbox.open(multi)
  }

  deinit {
    inbox.close()
    curl_multi_cleanup(multi)
  }

  /// Runs until the inbox says stop; every fetch has been answered when it returns.
  func run() {
    while true {
      let batch = inbox.take()
      for request in batch.requests { receive(request) }
      if batch.isStopping { return cancelAll() }
      sweep()
      startTransfers()
      var running: Int32 = 0
      curl_multi_perform(multi, &running)
      finishTransfers()
      startTransfers()
      curl_multi_poll(multi, nil, 0, queue.waitingCount > 0 ? 100 : 1_000, nil)
    }
  }

  private func receive(_ request: TransferInbox.Request) {
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
    if let transfer = remove(id) {
      transfer.fetch.completion(.cancelled)
    } else {
      for fetch in queue.removeWaiting(where: { $0.id == id }) {
        fetch.completion(.cancelled)
      }
    }
  }

  private func cancelAll() {
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

  private func startTransfers() {
    while let fetch = queue.start() {
      let transfer = Transfer(fetch, configuration: configuration, headers: requestHeaders)
      guard let transfer, curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
        queue.finish(fetch.hostKey)
        fetch.completion(UnfurlReport(.failure(.unknown)))
        continue
      }
      transfers[fetch.id] = transfer
    }
  }

  private func finishTransfers() {
    var remaining: Int32 = 0
    while let message = curl_multi_info_read(multi, &remaining) {
      let result = parley_curl_done_result(message)
      guard result >= 0, let easy = message.pointee.easy_handle,
        let transfer = transfers.values.first(where: { $0.easy == easy })
      else { continue }
      _ = remove(transfer.fetch.id)
      finish(transfer, result: CURLcode(rawValue: UInt32(result)))
    }
  }

  private func finish(_ transfer: Transfer, result: CURLcode) {
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

  private func remove(_ id: UInt64) -> Transfer? {
    guard let transfer = transfers.removeValue(forKey: id) else { return nil }
    curl_multi_remove_handle(multi, transfer.easy)
    queue.finish(transfer.fetch.hostKey)
    return transfer
  }
}
