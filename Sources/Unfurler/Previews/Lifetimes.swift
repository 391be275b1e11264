import LinkPreview
import ParleyProtocol

/// The lifetimes of answers, in milliseconds.
struct Lifetimes: Sendable {
  let longest: Int64
  let shortest: Int64
  let negative: Int64
  let stale: Int64
  /// Whether pictures are hidden in restored and adopted entries if viewers would load them from
  /// the page's server.
  let hidesOrigins: Bool

  /// The pause after a failed refresh; never 0, or every message with the link would retry.
  ///
  /// link would try.
  var retryInterval: Int64 { max(negative, 1_000) }

  init(_ limits: PreviewCache.Limits) {
    longest = limits.timeToLive.boundedMilliseconds
    shortest = min(limits.minimumTimeToLive.boundedMilliseconds, longest)
    negative = limits.negativeTimeToLive.boundedMilliseconds
    stale = limits.staleTimeToLive.boundedMilliseconds
    hidesOrigins = limits.hidesOrigins
  }

  /// Returns the entry to cache for a report; `nil` if the report is not about the page.
  ///
  /// An answer with a lifetime of 0 becomes an entry that has already expired: it still replaces
  /// the previous one.
  func entry(for link: Link, _ report: UnfurlReport, at now: Int64) -> PreviewEntry? {
    guard report.freshness != .unkept else { return nil }
    let lifetime = lifetime(of: report)
    let isShownStale = report.tag != nil && lifetime > 0
    return PreviewEntry(
      link: link, tag: report.tag, siteName: report.siteName, problem: report.problem,
      problemKind: report.problemKind, fetchedAt: now,
      expiresAt: now + lifetime, staleUntil: now + lifetime + (isShownStale ? stale : 0))
  }

  /// Returns an entry from the file, possibly stored with other lifetimes or another clock, as it
  /// would be cached now.
  func restored(_ entry: PreviewEntry, at now: Int64) -> PreviewEntry {
    let isFound = entry.tag != nil
    let expiresAt = min(entry.expiresAt, now + (isFound ? longest : negative))
    return PreviewEntry(
      link: entry.link, tag: shown(entry.tag), siteName: entry.siteName, problem: entry.problem,
      problemKind: entry.problemKind, fetchedAt: entry.fetchedAt, expiresAt: expiresAt,
      staleUntil: isFound ? max(expiresAt, min(entry.staleUntil, expiresAt + stale)) : expiresAt)
  }

  /// Returns the part that may be shown of a preview made elsewhere, or with other settings.
  ///
  /// Viewers load its picture from the page's server if allowed, otherwise from a copy or not at all.
  func shown(_ tag: OpenGraphTag?) -> OpenGraphTag? {
    guard var tag, let image = tag.image, hidesOrigins == (image.originURL == nil) else {
      return tag
    }
    tag.image = image.originURL.map { OpenGraphImage(url: $0, alt: image.alt) }
    return tag
  }

  private func lifetime(of report: UnfurlReport) -> Int64 {
    guard report.tag != nil else { return negative }
    let lifetime = lifetime(of: report.freshness)
    return report.isIncomplete ? min(lifetime, negative) : lifetime
  }

  private func lifetime(of freshness: Freshness) -> Int64 {
    switch freshness {
    case .unspecified: return longest
    case .seconds(let seconds):
      let wanted = min(max(0, seconds), Duration.longestLifetime) * 1_000
      return min(max(wanted, shortest), longest)
    case .unkept: return 0
    }
  }
}

extension Duration {
  /// A hundred years in seconds: adding it to a time of day does not overflow.
  fileprivate static let longestLifetime: Int64 = 3_155_760_000

  fileprivate var boundedMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let bounded = min(max(0, seconds), Self.longestLifetime)
    return bounded * 1_000 + max(0, attoseconds) / 1_000_000_000_000_000
  }
}
