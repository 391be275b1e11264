import LinkPreview

/// The links that another server fetches and that local requests wait for.
struct SharedWaits {
  /// A wait for one outcome.
  struct Wait {
    let requester: PreviewRequester
    /// ``SharedClaim/Wait/start`` of the first claim.
    let start: Int64
    /// The number of refused claims.
    let attempts: Int
    /// Distinguishes this wait from later ones for the same link.
    fileprivate let number: UInt64
  }

  private var waits: [Link: Wait] = [:]
  private var lastNumber: UInt64 = 0

  /// The maximum number of links to wait for.
  static let maximumCount = 10_000
  /// The maximum number of consecutive claims of other servers that a request waits for.
  static let maximumAttempts = 4

  var count: Int { waits.count }

  /// Starts to wait, after a claim was refused.
  ///
  /// - Parameter earlier: The wait for the previous claim; `nil` for the first.
  /// - Returns: The number of the wait; `nil` if there are too many, or it has taken too long.
  mutating func begin(
    _ link: Link, for requester: PreviewRequester, _ wait: SharedClaim.Wait, after earlier: Wait?
  ) -> UInt64? {
    let attempts = (earlier?.attempts ?? 0) + 1
    guard waits.count < Self.maximumCount, attempts <= Self.maximumAttempts else { return nil }
    lastNumber += 1
    waits[link] = Wait(
      requester: requester, start: earlier?.start ?? wait.start, attempts: attempts,
      number: lastNumber)
    return lastNumber
  }

  /// Ends the wait for a link, if there is one.
  mutating func end(_ link: Link) -> Wait? { waits.removeValue(forKey: link) }

  /// Ends a wait whose time is up, unless it has already ended.
  mutating func expire(_ number: UInt64, for link: Link) -> Wait? {
    guard waits[link]?.number == number else { return nil }
    return end(link)
  }

  /// Returns the links of a scope that have a wait.
  func links(in scope: CacheScope) -> [Link] { waits.keys.filter { scope.covers($0) } }

  mutating func removeAll() { waits = [:] }
}
