import Dispatch
package import LinkPreview
package import Logging
import Synchronization

/// A cache of previews: recent ones in memory, more of them in a file.
///
/// Look-ups only use memory. The file is optional: a damaged file is rebuilt, and if the file
/// cannot be written, this is logged once and the cache continues without it.
package final class PreviewCache: Sendable {
  /// The name of the file in the data directory.
  package static let fileName = "previews.sqlite"

  /// The time for which entries are collected before a write: a transaction costs more than its rows.
  private static let writingInterval = DispatchTimeInterval.milliseconds(250)

  /// The time at which cached entries are written.
  fileprivate enum Writing {
    case notNeeded, soon, now
  }

  struct State {
    var recent: MemoryCache
    var unwritten = UnwrittenEntries()
    var file: FileCache?
    var isWriteScheduled = false
  }

  let lifetimes: Lifetimes
  let now: @Sendable () -> Int64
  let logger: Logger
  let state: Mutex<State>
  /// The serial queue for slow operations.
  let queue = DispatchQueue(label: "previews")
  /// Whether the file's current problem has been logged.
  let hasWarned = Atomic<Bool>(false)

  /// Opens the cache, and loads unexpired entries into memory.
  ///
  /// - Parameters:
  ///   - directory: The directory of the file; `nil` for a cache in memory only.
  ///   - now: The time as Unix milliseconds.
  package init(
    directory: String?, limits: Limits = Limits(), logger: Logger,
    now: @escaping @Sendable () -> Int64
  ) {
    lifetimes = Lifetimes(limits)
    self.now = now
    self.logger = logger
    var recent = MemoryCache(
      maximumCount: limits.maximumEntries, maximumBytes: limits.maximumBytes)
    let opened = directory.flatMap { Self.openFile(in: $0, limits, logger, at: now()) }
    for entry in opened?.entries.reversed() ?? [] {
      recent.insert(lifetimes.restored(entry, at: now()))
    }
    state = Mutex(State(recent: recent, file: opened?.file))
  }

  /// Looks up a link in memory.
  ///
  /// The ``CacheHit/Refresh/due`` of a stale entry is returned to one caller only, which must fetch
  /// the link.
  func find(_ link: Link) -> CacheHit? {
    let now = now()
    return state.withLock {
      $0.recent.find(link, at: now, retryInterval: lifetimes.retryInterval)
    }
  }

  /// Caches the outcome of a look-up.
  ///
  /// A failure is unrelated to the page: an unexpired preview is kept, and not refreshed again for
  /// a while. An answer with no lifetime replaces the previous entry.
  ///
  /// - Returns: The entry to show for the link from now on; `nil` if there is none.
  @discardableResult
  package func insert(report: UnfurlReport, for link: Link) -> PreviewEntry? {
    record(report, for: link).shown
  }

  /// Caches the outcome of a look-up, and returns the new entry too.
  func record(_ report: UnfurlReport, for link: Link) -> RecordedAnswer {
    let now = now()
    let entry = lifetimes.entry(for: link, report, at: now)
    let (answer, writing) = state.withLock { state in
      let shown = state.recent.peek(link, at: now)
      guard let entry, !report.isFailure || shown?.tag == nil else {
        state.recent.postponeRefresh(of: link, until: now + lifetimes.retryInterval)
        return (RecordedAnswer(shown: shown, new: nil), Writing.notNeeded)
      }
      let known = entry.age(at: now) == .gone ? nil : entry
      return (RecordedAnswer(shown: known, new: entry), state.remember(entry, at: now))
    }
    see(to: writing)
    return answer
  }

  /// Caches an entry that another server fetched.
  func adopt(_ entry: PreviewEntry) {
    let now = now()
    let entry = lifetimes.restored(entry, at: now)
    see(to: state.withLock { $0.remember(entry, at: now) })
  }

  /// Returns an entry made by another server, as it may be shown here.
  func shown(_ entry: PreviewEntry) -> PreviewEntry {
    let tag = lifetimes.shown(entry.tag)
    guard tag != entry.tag else { return entry }
    return PreviewEntry(
      link: entry.link, tag: tag, siteName: entry.siteName, problem: entry.problem,
      problemKind: entry.problemKind, fetchedAt: entry.fetchedAt, expiresAt: entry.expiresAt,
      staleUntil: entry.staleUntil)
  }

  /// Postpones the refresh of an expired preview.
  func postponeRefresh(of link: Link) {
    let time = now() + lifetimes.retryInterval
    state.withLock { $0.recent.postponeRefresh(of: link, until: time) }
  }

  private func see(to writing: Writing) {
    switch writing {
    case .notNeeded: break
    case .soon: queue.asyncAfter(deadline: .now() + Self.writingInterval) { [self] in writeOut() }
    case .now: queue.async { [self] in writeOut() }
    }
  }

  /// The size of the cache.
  var figures: CacheFigures {
    state.withLock { state in
      CacheFigures(
        entryCount: state.recent.count, byteCount: state.recent.byteCount,
        rowCount: state.file?.rowCount ?? 0, fileByteCount: state.file?.byteCount ?? 0)
    }
  }
}

/// An answer that was cached.
struct RecordedAnswer {
  /// The entry to show from now on.
  var shown: PreviewEntry?
  /// The entry made from the answer; `nil` if it changed nothing.
  var new: PreviewEntry?
}

extension PreviewCache.State {
  /// - Returns: When the caller must write the entries to the file.
  fileprivate mutating func remember(_ entry: PreviewEntry, at now: Int64) -> PreviewCache.Writing {
    let wasKnown = recent.remove(entry.link)
    if entry.age(at: now) != .gone {
      recent.insert(entry)
    } else if !wasKnown {
      return .notNeeded
    }
    guard file != nil else { return .notNeeded }
    let wasAmple = unwritten.isAmple
    unwritten.add(entry)
    if wasAmple, !unwritten.isAmple { return .now }
    defer { isWriteScheduled = true }
    return isWriteScheduled ? .notNeeded : .soon
  }
}

extension UnfurlReport {
  fileprivate var isFailure: Bool {
    if case .failure = outcome { return true }
    return false
  }
}

extension PreviewCache {
  /// The limits of the cache.
  package struct Limits: Sendable {
    /// Entries in memory.
    package var maximumEntries = 10_000
    /// Approximate bytes in memory.
    package var maximumBytes = 32 << 20
    /// Entries in the file.
    package var maximumRows = 100_000
    /// Bytes on disk, including the write-ahead log; 0 for no file, otherwise at least 1 MiB.
    package var maximumFileBytes = 256 << 20
    /// The maximum lifetime of a preview, and the default if its server specifies none; 0 caches none.
    package var timeToLive = Duration.seconds(86_400)
    /// The minimum lifetime of a preview, whatever its server specifies.
    package var minimumTimeToLive = Duration.seconds(300)
    /// The lifetime of a negative result, and the pause after a failed refresh.
    package var negativeTimeToLive = Duration.seconds(300)
    /// The time after its expiry for which a preview is still shown while it is refreshed; 0 for
    /// none.
    package var staleTimeToLive = Duration.seconds(604_800)
    /// Whether to hide pictures that viewers would load from the pages' servers.
    package var hidesOrigins = false

    package init() {}
  }
}

/// The size of a preview cache.
struct CacheFigures: Sendable, Hashable {
  /// Entries in memory.
  var entryCount = 0
  /// Approximate bytes in memory.
  var byteCount = 0
  /// Rows in the file.
  var rowCount = 0
  /// Bytes of the file, without its write-ahead log.
  var fileByteCount = 0
}
