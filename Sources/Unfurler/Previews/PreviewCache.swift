import Dispatch
package import LinkPreview
package import Logging
import Synchronization

/// A cache of previews: recent ones in memory, more of them in a file.
///
/// Looking something up touches memory only. The file is an aid: when it is damaged it is built
/// anew, and when it cannot be written, that is said once and the cache goes on without it.
package final class PreviewCache: Sendable {
  /// The name of the file in the data directory.
  package static let fileName = "previews.sqlite"

  /// How long entries gather before they are written: each transaction costs more than its rows.
  private static let writingInterval = DispatchTimeInterval.milliseconds(250)

  /// When what has been remembered is to be written.
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
  /// Whether the file's present trouble has been reported.
  let hasWarned = Atomic<Bool>(false)

  /// Opens the cache, and reads what may still be shown into memory.
  ///
  /// - Parameters:
  ///   - directory: Where the file is kept; `nil` for a cache in memory only.
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

  /// Looks a link up in memory.
  ///
  /// A stale entry's ``CacheHit/Refresh/due`` is given to one caller only, who then has to
  /// fetch the link.
  func find(_ link: Link) -> CacheHit? {
    let now = now()
    return state.withLock {
      $0.recent.find(link, at: now, retryInterval: lifetimes.retryInterval)
    }
  }

  /// Remembers what came of looking a link up.
  ///
  /// A failure says nothing about the page: a preview that may still be shown stays, and is not
  /// refreshed again for a while. An answer that may not be kept displaces what was known.
  ///
  /// - Returns: What is to be shown for the link from now on; `nil` when nothing is known.
  @discardableResult
  package func insert(report: UnfurlReport, for link: Link) -> PreviewEntry? {
    record(report, for: link).shown
  }

  /// The same, with the entry that it made.
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

  /// Remembers what another server has fetched.
  func adopt(_ entry: PreviewEntry) {
    let now = now()
    let entry = lifetimes.restored(entry, at: now)
    see(to: state.withLock { $0.remember(entry, at: now) })
  }

  /// An entry that another server has made, as it may be shown here.
  func shown(_ entry: PreviewEntry) -> PreviewEntry {
    let tag = lifetimes.shown(entry.tag)
    guard tag != entry.tag else { return entry }
    return PreviewEntry(
      link: entry.link, tag: tag, siteName: entry.siteName, problem: entry.problem,
      problemKind: entry.problemKind, fetchedAt: entry.fetchedAt, expiresAt: entry.expiresAt,
      staleUntil: entry.staleUntil)
  }

  /// Lets a preview past its time not be refreshed for a while.
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

/// An answer that was remembered.
struct RecordedAnswer {
  /// The entry to show from now on.
  var shown: PreviewEntry?
  /// The entry that the answer made; `nil` when it changed nothing.
  var new: PreviewEntry?
}

extension PreviewCache.State {
  /// - Returns: What the caller has to see to.
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
    /// Bytes in memory, about.
    package var maximumBytes = 32 << 20
    /// Entries in the file.
    package var maximumRows = 100_000
    /// Bytes on disk, the write-ahead log included; 0 for no file at all, and otherwise at least
    /// 1 MiB.
    package var maximumFileBytes = 256 << 20
    /// How long a preview is good at most, and when its server does not say; 0 keeps none.
    package var timeToLive = Duration.seconds(86_400)
    /// How long a preview is good at least, whatever its server says.
    package var minimumTimeToLive = Duration.seconds(300)
    /// The time for which a lack of a preview is kept, and a failed refresh is not repeated.
    package var negativeTimeToLive = Duration.seconds(300)
    /// How long after its time a preview is still shown while it is being refreshed; 0 for not at
    /// all.
    package var staleTimeToLive = Duration.seconds(604_800)
    /// Whether pictures are hidden that viewers would load from the pages' servers.
    package var hidesOrigins = false

    package init() {}
  }
}

/// The size of a preview cache.
struct CacheFigures: Sendable, Hashable {
  /// Entries in memory.
  var entryCount = 0
  /// Bytes in memory, about.
  var byteCount = 0
  /// Rows in the file.
  var rowCount = 0
  /// Bytes of the file, without its write-ahead log.
  var fileByteCount = 0
}
