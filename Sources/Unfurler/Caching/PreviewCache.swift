import Dispatch
package import LinkPreview
package import Logging
import Synchronization

/// What is known about links: the recent ones in memory, more of them in a file.
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
    var recent: RecentPreviews
    var unwritten = UnwrittenPreviews()
    var file: PreviewFile?
    var isWriteScheduled = false
  }

  let lifetimes: PreviewLifetimes
  let now: @Sendable () -> Int64
  let logger: Logger
  let state: Mutex<State>
  /// Where all that may take a while happens, one thing after the other.
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
    lifetimes = PreviewLifetimes(limits)
    self.now = now
    self.logger = logger
    var recent = RecentPreviews(
      maximumCount: limits.maximumEntries, maximumBytes: limits.maximumBytes)
    let opened = directory.flatMap { Self.openFile(in: $0, limits, logger, at: now()) }
    for entry in opened?.entries.reversed() ?? [] {
      recent.insert(lifetimes.restored(entry, at: now()))
    }
    state = Mutex(State(recent: recent, file: opened?.file))
  }

  /// What memory knows about a link.
  ///
  /// A stale entry's ``PreviewFinding/Refresh/due`` is given to one caller only, who then has to
  /// fetch the link.
  func find(_ link: Link) -> PreviewFinding? {
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
    let now = now()
    let entry = lifetimes.entry(for: link, report, at: now)
    let (known, writing) = state.withLock { state in
      let shown = state.recent.peek(link, at: now)
      guard let entry, !report.isFailure || shown?.tag == nil else {
        state.recent.postponeRefresh(of: link, until: now + lifetimes.retryInterval)
        return (shown, Writing.notNeeded)
      }
      return (entry.age(at: now) == .gone ? nil : entry, state.remember(entry, at: now))
    }
    switch writing {
    case .notNeeded: break
    case .soon: queue.asyncAfter(deadline: .now() + Self.writingInterval) { [self] in writeOut() }
    case .now: queue.async { [self] in writeOut() }
    }
    return known
  }

  /// How large the cache is.
  var figures: PreviewCacheFigures {
    state.withLock { state in
      PreviewCacheFigures(
        entryCount: state.recent.count, byteCount: state.recent.byteCount,
        rowCount: state.file?.rowCount ?? 0, fileByteCount: state.file?.byteCount ?? 0)
    }
  }
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
