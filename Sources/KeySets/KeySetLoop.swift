import Basics
import CCurl
import Curl
import Logging
import ParleyProtocol
import Reactor

/// The fetches of key sets; confined to its loop's thread.
final class KeySetLoop: CurlLoopOwner {
  /// A request from another thread.
  enum Request: Sendable {
    /// Fetch the set of a provider, whose schedule has counted the fetch as started.
    case fetch(UInt64)
    /// The providers have changed.
    case look
  }

  private let loop: CurlLoop<KeySetTransfer>
  private let state: KeySetState

  init(_ loop: CurlLoop<KeySetTransfer>, _ state: KeySetState) {
    self.loop = loop
    self.state = state
  }

  func receive(_ request: Request) {
    switch request {
    case .fetch(let id):
      if let source = state.source(of: id) { fetch(source, of: id) }
    case .look: break
    }
  }

  func startTransfers() -> ContinuousClock.Instant? {
    let (due, wakeUp) = state.startDue()
    for (id, source) in due { fetch(source, of: id) }
    let now = SystemClock.monotonicMilliseconds
    return wakeUp.map { .now.advanced(by: .milliseconds(max(0, $0 - now))) }
  }

  func didEnd(_ transfer: KeySetTransfer, _ result: CURLcode) {
    let id = transfer.providerID
    let outcome = transfer.outcome(result)
    let control = CacheControl(transfer.cacheControl)
    // Keys that may not be kept are kept as briefly as possible.
    let maxAge = control.forbidsReuse ? 0 : control.lifetime
    state.end(id, outcome, maxAge: maxAge)
    if case .success(let fetched) = outcome { keep(fetched, of: id, maxAge) }
  }

  func stop() {
    _ = loop.removeAll()
    state.end()
  }

  private func fetch(_ source: KeySetSource, of id: UInt64) {
    guard let transfer = KeySetTransfer(source, of: id, userAgent: state.userAgent),
      loop.add(transfer)
    else {
      let failure = KeySetFailure(.unreachable, "libcurl cannot start a request")
      return state.end(id, .failure(failure), maxAge: nil)
    }
  }

  /// Writes the copy for restarts.
  private func keep(_ fetched: FetchedKeySet, of id: UInt64, _ maxAge: Int64?) {
    guard let source = state.source(of: id) else { return }
    let copy = KeySetCopy(
      fetchedAt: SystemClock.unixMilliseconds, lifetimeSeconds: KeySetSchedule.bounded(maxAge),
      document: fetched.bytes)
    do throws(SystemError) {
      try copy.write(for: source, in: state.directory)
    } catch {
      state.logger.warning(
        "the copy of a key set cannot be written: without it a restart needs the provider",
        metadata: ["issuer": "\(source.issuer.name)", "reason": "\(error)"])
    }
  }
}
