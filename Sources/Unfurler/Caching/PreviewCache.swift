package import LinkPreview
package import Logging
package import ParleyProtocol
import Synchronization

/// What is known about links: the recent ones in memory, more of them in a file.
///
/// Looking something up touches memory only. The file is an aid: when it is damaged or cannot be
/// written, that is said once and the cache goes on without it.
package final class PreviewCache: Sendable {
  /// What bounds the cache.
  package struct Limits: Sendable {
    /// Entries in memory.
    package var maximumEntries = 10_000
    /// Bytes in memory, about.
    package var maximumBytes = 32 << 20
    /// Entries in the file.
    package var maximumRows = 100_000
    /// How long a preview is good.
    package var timeToLive = Duration.seconds(86_400)
    /// How long it is remembered that there is none.
    package var negativeTimeToLive = Duration.seconds(300)

    package init() {}
  }

  /// The name of the file in the data directory.
  package static let fileName = "previews.sqlite"

  private struct State {
    var recent: RecentPreviews
    var file: PreviewFile?
    var insertsSincePurge = 0
  }

  /// How many new entries there are between two purges of the file.
  private static let purgeInterval = 1_000

  private let limits: Limits
  private let now: @Sendable () -> Int64
  private let logger: Logger
  private let state: Mutex<State>

  /// Opens the cache, and reads what is still good into memory.
  ///
  /// - Parameters:
  ///   - directory: Where the file is kept; `nil` for a cache in memory only.
  ///   - now: The time as Unix milliseconds.
  package init(
    directory: String?, limits: Limits = Limits(), logger: Logger,
    now: @escaping @Sendable () -> Int64
  ) {
    self.limits = limits
    self.now = now
    self.logger = logger
    var recent = RecentPreviews(
      maximumCount: limits.maximumEntries, maximumBytes: limits.maximumBytes)
    var file: PreviewFile?
    do {
      file = try directory.map {
        try PreviewFile(path: "\($0)/\(Self.fileName)", maximumRows: limits.maximumRows)
      }
      let entries = try file?.loadFresh(at: now(), limit: limits.maximumEntries) ?? []
      for (link, preview) in entries.reversed() { recent.insert(preview, for: link) }
    } catch {
      file = nil
      Self.warn(logger, error)
    }
    state = Mutex(State(recent: recent, file: file))
  }

  /// What memory knows about a link.
  func find(_ link: Link) -> CachedPreview? {
    let now = now()
    return state.withLock { $0.recent.find(link, at: now) }
  }

  /// What memory or the file knows about a link; answers at once or on the file's queue.
  func load(_ link: Link, completion: @escaping @Sendable (CachedPreview?) -> Void) {
    let now = now()
    let (preview, file) = state.withLock { ($0.recent.find(link, at: now), $0.file) }
    guard preview == nil, let file else { return completion(preview) }
    file.find(link, at: now) { [self] result in
      switch result {
      case .success(let preview):
        if let preview { state.withLock { $0.recent.insert(preview, for: link) } }
        completion(preview)
      case .failure(let error):
        abandonFile(error)
        completion(nil)
      }
    }
  }

  /// Remembers a preview, or that there is none.
  package func insert(_ tag: OpenGraphTag?, for link: Link) {
    let timeToLive = tag == nil ? limits.negativeTimeToLive : limits.timeToLive
    let now = now()
    let preview = CachedPreview(tag: tag, expiresAt: now + timeToLive.wholeMilliseconds)
    let (file, isPurgeDue) = state.withLock { state in
      state.recent.insert(preview, for: link)
      state.insertsSincePurge += 1
      let isPurgeDue = state.insertsSincePurge >= Self.purgeInterval
      if isPurgeDue { state.insertsSincePurge = 0 }
      return (state.file, isPurgeDue)
    }
    file?.insert(preview, for: link) { [self] in abandonFile($0) }
    if isPurgeDue { file?.purge(at: now) { [self] in abandonFile($0) } }
  }

  /// Writes what is waiting to be written and closes the file; memory stays.
  package func close() {
    let file = state.withLock { state in
      defer { state.file = nil }
      return state.file
    }
    do {
      try file?.close()
    } catch {
      Self.warn(logger, error)
    }
  }

  /// Goes on in memory; whoever is first says so.
  private func abandonFile(_ error: any Error) {
    let wasOpen = state.withLock { state in
      defer { state.file = nil }
      return state.file != nil
    }
    if wasOpen { Self.warn(logger, error) }
  }

  private static func warn(_ logger: Logger, _ error: any Error) {
    logger.warning(
      "the preview cache's file cannot be used; previews are kept in memory only",
      metadata: ["file": "\(fileName)", "error": "\(error)"])
  }
}

extension Duration {
  fileprivate var wholeMilliseconds: Int64 {
    let parts = components
    return Int64(clamping: parts.seconds) &* 1_000 + parts.attoseconds / 1_000_000_000_000_000
  }
}
