package import LinkPreview
package import ParleyProtocol

/// A cached result for a link: its preview, or the problem.
///
///     fetchedAt ───── fresh ───── expiresAt ───── stale ───── staleUntil
///                shown                      shown, refreshed
package struct PreviewEntry: Sendable, Hashable {
  package let link: Link
  /// The page's preview; `nil` if there is a ``problem``.
  package let tag: OpenGraphTag?
  /// The page's name for its site.
  package let siteName: String?
  /// The reason why there is no preview, as text; at most ``maximumProblemLength`` bytes.
  package let problem: String?
  /// The kind of failure; `nil` without one, as for a page that offers no preview.
  package let problemKind: UnfurlError.Kind?
  /// The time of the answer, in Unix milliseconds.
  package let fetchedAt: Int64
  /// The time from which the entry must be refreshed, in Unix milliseconds.
  package let expiresAt: Int64
  /// The time from which the entry is ignored, in Unix milliseconds; ``expiresAt`` without a
  /// preview: negative results are never shown stale.
  package let staleUntil: Int64

  /// The maximum length of a stored ``problem``, in bytes of UTF-8.
  package static let maximumProblemLength = 512

  /// - Parameter problem: Truncated to ``maximumProblemLength``.
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

  /// Returns whether the clock was set back since: then the actual age of the entry is unknown.
  private func isFromTheFuture(at now: Int64) -> Bool {
    fetchedAt > now.addingReportingOverflow(Self.clockTolerance).partialValue
  }

  /// The tolerance for small corrections of the clock, in milliseconds.
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
  /// Returns as many whole scalars as fit into `utf8Count` bytes.
  fileprivate func prefix(utf8Count: Int) -> String {
    guard utf8.count > utf8Count else { return self }
    var end = utf8.index(startIndex, offsetBy: utf8Count)
    while UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
    return String(self[..<end])
  }
}

/// An entry that may be shown, and whether it needs a refresh.
enum CacheHit: Sendable, Hashable {
  /// Whether the caller must refresh the stale entry.
  enum Refresh: Sendable, Hashable {
    /// This caller refreshes the entry; other callers will not for a while.
    case due
    /// Another caller refreshes the entry, or a refresh failed shortly before.
    case underWay
  }

  case fresh(PreviewEntry)
  /// An expired preview.
  case stale(PreviewEntry, Refresh)

  /// Creates a hit for an entry that is not in memory, so that its refreshes are not tracked.
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
