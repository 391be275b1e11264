import Channels
import Cluster
import Dispatch
import LinkPreview
import Store
import Unfurler

/// The previews that all servers of a deployment share in their database.
///
/// Changes are reported to the other servers over the bus, which may lose the reports. A purge must not
/// be lost, so it is an announcement, which ``ControlLog`` reads.
final class StoredPreviews: SharedPreviews {
  /// Sends a notice to all other servers.
  typealias Broadcast = @Sendable (PreviewNotice) -> Void

  private let store: Store
  private let serverID: UInt64
  private let broadcast: Broadcast
  private let queue = DispatchQueue(label: "shared-previews")
  private let byteLimit: Int

  /// - Parameters:
  ///   - serverID: The number of this server in the cluster.
  ///   - byteLimit: The most bytes that the outcomes of all servers may use in the database.
  init(store: Store, serverID: UInt64, byteLimit: Int, broadcast: @escaping Broadcast) {
    self.store = store
    self.byteLimit = byteLimit
    self.serverID = serverID
    self.broadcast = broadcast
  }

  convenience init(_ notices: SharedNotices, _ store: Store, byteLimit: Int) {
    self.init(
      store: store, serverID: notices.network.local.id.rawValue, byteLimit: byteLimit
    ) { notice in
      switch notice {
      case .published, .abandoned: notices.broadcast(notice.encoded, to: .previews)
      case .purged: notices.broadcast([], to: .controlLog)
      }
    }
  }

  func claim(
    _ link: Link, for duration: Duration, since start: Int64?,
    completion: @escaping @Sendable (SharedClaim) -> Void
  ) {
    let claim = PreviewClaim(
      link: link.url, host: HostKey(link).text, serverID: serverID,
      duration: duration.milliseconds, since: start)
    store.perform(claim) { result in
      switch result {
      case .success(let outcome): completion(SharedClaim(outcome, start: start))
      case .failure: completion(.unavailable)
      }
    }
  }

  func publish(_ entry: PreviewEntry) {
    let broadcast = broadcast
    store.perform(PreviewPublication(SharedPreview(entry), by: serverID)) { result in
      if case .success(true) = result { broadcast(.published(entry)) }
    }
  }

  func replace(_ entry: PreviewEntry) {
    let broadcast = broadcast
    store.perform(PreviewReplacement(SharedPreview(entry))) { result in
      if case .success = result { broadcast(.published(entry)) }
    }
  }

  func abandon(_ link: Link, pause: Duration) {
    let broadcast = broadcast
    let abandonment = PreviewAbandonment(
      of: link.url, by: serverID, pause: pause.milliseconds)
    store.perform(abandonment) { result in
      if case .success(true) = result { broadcast(.abandoned(link)) }
    }
  }

  func entries(
    _ selection: PreviewSelection, after cursor: String?, limit: Int,
    completion: @escaping @Sendable (PreviewPage?) -> Void
  ) {
    let list = PreviewList(
      SharedPreviewScope(selection), after: cursor ?? "", limit: limit + 1)
    store.perform(list, for: .server) { result, _ in
      switch result {
      case .success(let bodies):
        let entries = bodies.compactMap { PreviewEntry(encoded: Array($0.utf8)) }
        let page = Array(entries.prefix(limit))
        completion(
          PreviewPage(entries: page, next: entries.count > limit ? page.last?.link.url : nil))
      case .failure: completion(nil)
      }
    }
  }

  func purge(_ selection: PreviewSelection, completion: @escaping @Sendable (Int?) -> Void) {
    let notice = PreviewNotice.purged(selection)
    let purge = PreviewPurge(
      SharedPreviewScope(selection), announcing: String(decoding: notice.encoded, as: UTF8.self))
    let broadcast = broadcast
    store.perform(purge) { result in
      switch result {
      case .success(let count):
        broadcast(notice)
        completion(count)
      case .failure: completion(nil)
      }
    }
  }
}

/// The removal of expired outcomes, and of outcomes beyond the size limit.
extension StoredPreviews {
  /// Seconds between two passes, and after a pass that did not remove everything.
  private static let interval = 600
  private static let shortInterval = 5

  /// Removes outcomes about every ten minutes from now on.
  func trimRegularly() {
    store.perform(PreviewTrimming(byteLimit: byteLimit)) { [weak self] result in
      guard let self else { return }
      let seconds =
        if case .success(.unfinished) = result {
          Self.shortInterval
        } else {
          // Servers that start together should not run their passes together.
          Self.interval + Int.random(in: 0..<Self.interval / 4)
        }
      queue.asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
        self?.trimRegularly()
      }
    }
  }
}

extension SharedClaim {
  /// - Parameter start: The time by the database's clock at which the caller began to wait.
  fileprivate init(_ outcome: PreviewClaim.Outcome, start: Int64?) {
    switch outcome {
    case .granted(let stale): self = .granted(stale.flatMap(PreviewEntry.init(stored:)))
    case .known(let body):
      self = PreviewEntry(stored: body).map { .known($0) } ?? .unavailable
    case .taken(let stale, let until, let now):
      self = .taken(
        stale.flatMap(PreviewEntry.init(stored:)),
        Wait(start: start ?? now, limit: max(0, until - now)))
    }
  }
}

extension PreviewEntry {
  fileprivate init?(stored body: String) { self.init(encoded: Array(body.utf8)) }
}

extension SharedPreview {
  fileprivate init(_ entry: PreviewEntry) {
    self.init(
      link: entry.link.url, host: HostKey(entry.link).text,
      body: String(decoding: entry.encoded, as: UTF8.self), expiresAt: entry.expiresAt,
      staleUntil: entry.staleUntil)
  }
}

extension SharedPreviewScope {
  fileprivate init(_ selection: PreviewSelection) {
    switch selection {
    case .all: self = .all
    case .link(let link): self = .link(link.url)
    case .domain(let name):
      self = HostKey(domain: name).map { .hosts($0.text, $0.upperBound) } ?? .none
    }
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
