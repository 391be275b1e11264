import LinkPreview
import Synchronization

/// Previews shared with other servers: each link is fetched by one of them.
extension PreviewService {
  /// Returns the time for which a link is claimed: that of a fetch and of publishing its outcome.
  private func claimTime(of link: Link) -> Duration {
    flights.withLock { $0.fetchTime(of: link, usual: timeout, at: .now) } + .seconds(2)
  }

  /// Handles a report of another server.
  package func receive(_ notice: PreviewNotice) {
    switch notice {
    case .published(let published):
      let entry = cache.shown(published)
      cache.adopt(entry)
      if waits.withLock({ $0.end(entry.link) }) != nil {
        land(entry.link, with: PreviewOutcome(known: entry))
      }
    case .abandoned(let link): claimAgain(link)
    case .purged(let selection):
      let scope = CacheScope(selection)
      discardAnswers(in: scope)
      cache.purge(selection) { _ in }
      for link in waits.withLock({ $0.links(in: scope) }) { claimAgain(link) }
    }
  }

  /// Fetches a link unless another server is fetching or has fetched it.
  func obtain(
    _ link: Link, for requester: PreviewRequester, from shared: any SharedPreviews,
    after wait: SharedWaits.Wait? = nil
  ) {
    shared.claim(link, for: claimTime(of: link), since: wait?.start) { [self] claim in
      switch claim {
      case .granted(let stale):
        if let stale { show(cache.shown(stale)) }
        fetch(link, for: requester)
      case .known(let known):
        let entry = cache.shown(known)
        adopt(entry)
        land(link, with: PreviewOutcome(known: entry))
      case .taken(let stale?, _):
        adopt(stale)
        cache.postponeRefresh(of: link)
        land(link, with: PreviewOutcome(known: cache.shown(stale)))
      case .taken(nil, let claim): self.wait(claim, for: link, requester, after: wait)
      case .unavailable: fetch(link, for: requester)
      }
    }
  }

  /// Reports the outcome of a fetch to the other servers.
  func share(_ answer: RecordedAnswer?, of link: Link) {
    guard let shared else { return }
    if let entry = answer?.new {
      shared.publish(entry)
    } else {
      // No server retries a failed refresh for a while.
      let isShown = answer?.shown != nil
      shared.abandon(link, pause: isShown ? .milliseconds(cache.lifetimes.retryInterval) : .zero)
    }
  }

  private func wait(
    _ claim: SharedClaim.Wait, for link: Link, _ requester: PreviewRequester,
    after earlier: SharedWaits.Wait?
  ) {
    let number = waits.withLock { $0.begin(link, for: requester, claim, after: earlier) }
    guard let number else {
      tally.countRefusal()
      return land(link, with: .tooMany)
    }
    // Slightly later, so that the claim has also ended by the database's clock.
    after(.milliseconds(claim.limit + 10)) { [self] in
      guard let wait = waits.withLock({ $0.expire(number, for: link) }), let shared else { return }
      obtain(link, for: wait.requester, from: shared, after: wait)
    }
  }

  private func claimAgain(_ link: Link) {
    guard let wait = waits.withLock({ $0.end(link) }), let shared else { return }
    obtain(link, for: wait.requester, from: shared, after: wait)
  }

  /// Caches an entry that another server fetched, unless it was purged meanwhile.
  private func adopt(_ entry: PreviewEntry) {
    // Inside this lock, so that a purge comes entirely before or after.
    flights.withLock { if $0.disposition(of: entry.link) != .discard { cache.adopt(entry) } }
  }

  /// Answers the waiting requests with an expired preview; its refresh continues.
  private func show(_ stale: PreviewEntry) {
    adopt(stale)
    let outcome = PreviewOutcome(known: stale)
    for completion in flights.withLock({ $0.answer(stale.link) }) { completion(outcome) }
  }
}
