package import LinkPreview
package import ParleyProtocol

/// A cached result for a link: its preview, or the problem.
///
///     fetchedAt ───── fresh ───── expiresAt ───── stale ───── staleUntil
///                shown                      shown, refreshed
package struct PreviewEntry: Sendable, Hashable {
  package let link: Link
  /// The page's preview; `nil` when there is a ``problem``.
  package let tag: OpenGraphTag?
  /// The name that the page gives its site.
  package let siteName: String?
  /// The reason why there is no preview, as text; at most ``maximumProblemLength`` bytes.
  package let problem: String?
  /// The kind of failure; `nil` without one, as for a page that offers no preview.
  package let problemKind: UnfurlError.Kind?
  /// When the answer came, in Unix milliseconds.
  package let fetchedAt: Int64
  /// From when on it is to be asked again, in Unix milliseconds.
  package let expiresAt: Int64
  /// From when on it counts as unknown, in Unix milliseconds; ``expiresAt`` when there is no
  /// preview, which is never shown stale.
  package let staleUntil: Int64

  /// The longest ``problem`` that is kept, in bytes of UTF-8.
  package static let maximumProblemLength = 512

  /// - Parameter problem: Cut at ``maximumProblemLength``.
  package init(
    link: Link, tag: OpenGraphTag?, siteName: String? = nil, problem: String?,
    problemKind: UnfurlError.Kind? = nil, fetchedAt: Int64, expiresAt: Int64, staleUntil: Int64
  ) {
    self.link = link
    self.tag = tag
    self.siteName = siteName
    self.problemKind = problemKind
    self.problem = problem?.prefix(utf8Count: Self.maximumProblemLength)
    self.fetchedAt = fetchedAt
    self.expiresAt = expiresAt
    self.staleUntil = staleUntil
  }
}

extension PreviewEntry {
  /// The age of an entry.
  enum Age {
    case fresh, stale, gone
  }

  func age(at now: Int64) -> Age {
    if now < expiresAt, !isFromTheFuture(at: now) { return .fresh }
    return tag != nil && now < staleUntil ? .stale : .gone
  }

  /// Whether the clock has been set back since: by how much the entry is older than it seems, nobody
  /// knows.
  private func isFromTheFuture(at now: Int64) -> Bool {
    fetchedAt > now.addingReportingOverflow(Self.clockTolerance).partialValue
  }

  /// By how much clocks are corrected in passing, in milliseconds.
  private static let clockTolerance: Int64 = 60_000

  /// The approximate memory of the entry in bytes; a link holds its URL as text and in parts.
  var byteCount: Int {
    let image = tag?.image
    let texts = [
      tag?.title, tag?.url, tag?.description, image?.url, image?.secureURL, image?.type, image?.alt,
      image?.originURL,
      problem, siteName,
    ]
    return 384 + 2 * link.url.utf8.count + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
  }
}

extension String {
  /// As many whole scalars as fit into `utf8Count` bytes.
  fileprivate func prefix(utf8Count: Int) -> String {
    guard utf8.count > utf8Count else { return self }
    var end = utf8.index(startIndex, offsetBy: utf8Count)
    while UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
    return String(self[..<end])
  }
}

/// An entry that may be shown, and whether it wants to be asked for again.
enum CacheHit: Sendable, Hashable {
  /// Whether whoever found a stale entry is the one to refresh it.
  enum Refresh: Sendable, Hashable {
    /// This caller refreshes the entry; other callers will not for a while.
    case due
    /// Somebody has, or it failed a short while ago.
    case underWay
  }

  case fresh(PreviewEntry)
  /// A preview past its time.
  case stale(PreviewEntry, Refresh)

  /// An entry that memory doesn't hold, and whose refreshes therefore nobody counts.
  init?(_ entry: PreviewEntry, at now: Int64) {
    switch entry.age(at: now) {
    case .fresh: self = .fresh(entry)
    case .stale: self = .stale(entry, .due)
    case .gone: return nil
    }
  }

  var entry: PreviewEntry {
    switch self {
    case .fresh(let entry), .stale(let entry, _): entry
    }
  }
}
