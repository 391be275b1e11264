import Cluster
import Dispatch
import Logging
import ParleyProtocol
import Channels
import Store
import Synchronization
import Unfurler
import Webhooks

/// Follows the announcements of all servers, and applies their changes on this one.
///
/// A change is announced in its own transaction, so no loss on the bus hides it: a hint makes other
/// servers read at once, and each server also reads with every beat, after a reset and after a
/// change of the ring. Small parts are reread as a whole; sessions that have lost their right are
/// found among those of this server.
final class ControlLog: Sendable {
  /// A part of the store that every server keeps in memory.
  private enum Part: CaseIterable {
    case limits
    case apiTokens
  }

  private enum Progress {
    case idle
    /// A read begins when the pause after the last one is over.
    case waiting
    case reading
    /// More announcements may have arrived meanwhile.
    case readingOnceMore
  }

  private struct State {
    /// `nil` when everything must be reread.
    var cursor: AnnouncementCursor?
    var progress = Progress.idle
    /// Parts that changed and have not been read since.
    var due: Set<Part> = []
  }

  /// The minimum time between two reads: a thousand changes in a second cost twenty reads.
  private static let pause = DispatchTimeInterval.milliseconds(50)

  private let queue = DispatchQueue(label: "control-log")
  private let state: Mutex<State>

  /// Begins after all earlier announcements; the data that a server keeps in memory must be read
  /// after that.
  init(_ store: Store) throws(StoreError) {
    let page = try store.performNow(AnnouncementRead.newest)
    state = Mutex(State(cursor: AnnouncementCursor(after: page)))
  }

  /// Reads announcements at an interval, as long as the services exist.
  ///
  /// - Parameter interval: Milliseconds.
  func follow(for services: GatewayServices, every interval: Int64) {
    queue.asyncAfter(deadline: .now() + .milliseconds(Int(interval))) { [weak services] in
      guard let services else { return }
      services.controlLog?.read(for: services)
      services.controlLog?.follow(for: services, every: interval)
    }
  }

  /// Reads new announcements; a read in progress is followed by another.
  func read(for services: GatewayServices) {
    let begins = state.withLock { state in
      switch state.progress {
      case .idle:
        state.progress = .reading
        return true
      case .reading: state.progress = .readingOnceMore
      case .readingOnceMore, .waiting: break
      }
      return false
    }
    if begins { readPage(services) }
  }

  private func readPage(_ services: GatewayServices) {
    let next = state.withLock { $0.cursor?.next } ?? .newest
    services.store.perform(next) { [self] result in
      guard case .success(let page) = result else { return end(services) }
      switch take(page) {
      case .entries(let entries): apply(entries, services)
      case .gap: startAnew(services)
      }
      if !page.isLast { again() }
      readDueParts(services)
    }
  }

  private func take(_ page: AnnouncementPage) -> AnnouncementCursor.Reading {
    state.withLock { state in
      guard var cursor = state.cursor else {
        state.cursor = AnnouncementCursor(after: page)
        return .gap
      }
      let reading = cursor.take(page)
      // The next page is the first of a new cursor, and everything is reread after it.
      state.cursor = reading == .gap ? nil : cursor
      return reading
    }
  }

  private func apply(_ entries: [AnnouncementEntry], _ services: GatewayServices) {
    var evictions = EvictionList()
    for entry in entries {
      switch entry.announcement {
      case .limits: state.withLock { _ = $0.due.insert(.limits) }
      case .apiTokens: state.withLock { _ = $0.due.insert(.apiTokens) }
      case .previewPurge(let notice):
        if let notice = PreviewNotice(encoded: Array(notice.utf8)) {
          services.previews?.receive(notice)
        }
      case .eviction(let userID, let cause):
        evictions.add(Eviction(cause, number: entry.id), of: userID)
      case .webhookRetry(let askedServer):
        if askedServer != services.serverID.description { services.webhooks?.retry() }
      case nil: break
      }
    }
    if !evictions.isEmpty { services.shards.sendToAll(LocalMessage.evict(evictions)) }
  }

  /// Discards everything that a missed announcement may have changed.
  private func startAnew(_ services: GatewayServices) {
    let isReady = state.withLock { state in
      state.due.formUnion(Part.allCases)
      return state.cursor != nil
    }
    guard isReady else { return again() }
    services.logger.warning("changes of other servers may have been missed: reading all anew")
    services.previews?.receive(.purged(.all))
    services.shards.sendToAll(LocalMessage.authenticateAnew)
  }

  private func again() { state.withLock { $0.progress = .readingOnceMore } }

  // MARK: Parts

  /// Reads the parts that have changed one after another, so that an older state never replaces a
  /// newer one.
  private func readDueParts(_ services: GatewayServices) {
    let (part, isAnew) = state.withLock { ($0.due.first, $0.cursor == nil) }
    guard let part, !isAnew else { return end(services) }
    switch part {
    case .limits:
      services.store.perform(SharedLimits()) { [self] result in
        didRead(part, result, services) {
          services.limits.replace(with: $0)
          services.shards.sendToAll(.renewLimits)
        }
      }
    case .apiTokens:
      services.store.perform(APITokenList()) { [self] result in
        didRead(part, result, services) {
          services.apiTokens.issued.replace(with: $0)
          services.shards.sendToAll(LocalMessage.checkObservers)
        }
      }
    }
  }

  private func didRead<Outcome>(
    _ part: Part, _ result: Result<Outcome, StoreError>, _ services: GatewayServices,
    _ adopt: (Outcome) -> Void
  ) {
    // A part that cannot be read stays due.
    guard case .success(let outcome) = result else { return end(services) }
    adopt(outcome)
    state.withLock { _ = $0.due.remove(part) }
    readDueParts(services)
  }

  private func end(_ services: GatewayServices) {
    let goesOn = state.withLock { state in
      switch state.progress {
      case .readingOnceMore:
        state.progress = .waiting
        return true
      case .idle, .waiting, .reading:
        state.progress = .idle
        return false
      }
    }
    guard goesOn else { return }
    queue.asyncAfter(deadline: .now() + Self.pause) { [weak self, weak services] in
      guard let self, let services else { return }
      state.withLock { $0.progress = .reading }
      readPage(services)
    }
  }
}

extension GatewayServices {
  /// Makes all servers apply an announced change soon; may be called on any thread.
  func didAnnounce() {
    readAnnouncements()
    SharedNotices(shards)?.broadcast([], to: .controlLog)
  }

  /// Reads new announcements; does nothing on a standalone server.
  func readAnnouncements() { controlLog?.read(for: self) }
}
