/// The header fields of a response that limit its lifetime.
struct ResponseFreshness {
  var cacheControl: [String] = []
  var age: [String] = []
  var date: [String] = []
  var expires: [String] = []

  /// How long the response may be kept from now on (RFC 9111 §4.2), by a cache for many users.
  ///
  /// - Parameter now: When the response came, in seconds since 1970; stands in for a missing
  ///   `Date`.
  func freshness(at now: Int64) -> Freshness {
    let control = CacheControl(cacheControl)
    if control.forbidsReuse { return .seconds(0) }
    guard let lifetime = control.lifetime ?? lifetimeByDates(now) else { return .unspecified }
    return .seconds(max(0, lifetime - (age.first.map { CacheControl.seconds($0) } ?? 0)))
  }

  /// `Expires` minus `Date`; a date that cannot be read, such as `0`, has passed (§5.3).
  private func lifetimeByDates(_ now: Int64) -> Int64? {
    guard let expires = expires.first else { return nil }
    let year = 1_970 + now / 31_556_952
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
