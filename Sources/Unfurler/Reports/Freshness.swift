internal import Basics

/// The time for which an answer about a page may be cached.
package enum Freshness: Sendable, Hashable {
  /// Not specified: the cache decides.
  case unspecified
  /// The lifetime set by the page's server (RFC 9111 §4.2.1); 0 if the server forbids reuse.
  case seconds(Int64)
  /// Not cacheable: the answer is unrelated to the page.
  case unkept
}

/// The header fields of a response that limit its lifetime.
struct ResponseFreshness {
  var cacheControl: [String] = []
  var age: [String] = []
  var date: [String] = []
  var expires: [String] = []

  /// The remaining lifetime of the response (RFC 9111 §4.2) in a shared cache.
  ///
  /// - Parameter now: The arrival time of the response, in seconds since 1970; used instead of a
  ///   missing `Date`.
  func freshness(at now: Int64) -> Freshness {
    let control = CacheControl(cacheControl)
    if control.forbidsReuse { return .seconds(0) }
    guard let lifetime = control.lifetime ?? lifetimeByDates(now) else { return .unspecified }
    return .seconds(max(0, lifetime - (age.first.map { CacheControl.seconds($0) } ?? 0)))
  }

  /// Returns `Expires` minus `Date`; an invalid date, such as `0`, counts as past (§5.3).
  private func lifetimeByDates(_ now: Int64) -> Int64? {
    guard let expires = expires.first else { return nil }
    let year = CivilTime(unixSeconds: now).year
    guard let end = HTTPDate(expires, currentYear: year) else { return 0 }
    let start = date.first.flatMap { HTTPDate($0, currentYear: year) }?.seconds ?? now
    return min(max(0, end.seconds - start), CacheControl.longestLifetime)
  }
}

extension Freshness {
  /// Combines two answers: the shorter time applies.
  func shortened(by other: Freshness) -> Freshness {
    switch (self, other) {
    case (.unkept, _), (_, .unkept): .unkept
    case (.unspecified, _): other
    case (_, .unspecified): self
    case (.seconds(let first), .seconds(let second)): .seconds(min(first, second))
    }
  }
}
