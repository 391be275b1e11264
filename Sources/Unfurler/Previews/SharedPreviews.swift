package import LinkPreview

/// The previews shared by all servers of a deployment, and the claims to fetch them.
///
/// A claim gives one server the right to fetch a link for a while. That server publishes the
/// outcome, or abandons the claim; if the server dies, the claim expires. Published outcomes reach
/// the memory of all servers as a ``PreviewNotice``, which may be lost.
///
/// Completions are called once, on any thread, and must not block.
package protocol SharedPreviews: Sendable {
  /// Looks up a link, and claims it unless it is known or claimed.
  ///
  /// - Parameters:
  ///   - duration: The time after which the claim expires.
  ///   - start: The ``SharedClaim/Wait/start`` of the caller's wait: an outcome published since
  ///     counts as known, however short its lifetime. `nil` for a caller that has not waited.
  func claim(
    _ link: Link, for duration: Duration, since start: Int64?,
    completion: @escaping @Sendable (SharedClaim) -> Void)

  /// Ends this server's claim with an outcome; does nothing if the claim was purged or taken over.
  func publish(_ entry: PreviewEntry)

  /// Publishes an outcome, whichever server has claimed the link.
  func replace(_ entry: PreviewEntry)

  /// Ends this server's claim without an outcome; the link cannot be claimed again before a pause ends.
  func abandon(_ link: Link, pause: Duration)

  /// Lists stored entries in the order of the links; `nil` if the database cannot be read.
  func entries(
    _ selection: PreviewSelection, after cursor: String?, limit: Int,
    completion: @escaping @Sendable (PreviewPage?) -> Void)

  /// Removes links and their claims, and notifies all servers to remove them.
  ///
  /// - Parameter completion: Called with the number of stored previews; `nil` if the database
  ///   cannot be written.
  func purge(_ selection: PreviewSelection, completion: @escaping @Sendable (Int?) -> Void)
}

/// The outcome of claiming a link.
package enum SharedClaim: Sendable, Hashable {
  /// The wait for another server's fetch.
  package struct Wait: Sendable, Hashable {
    /// The database's time at its start, in Unix milliseconds.
    package var start: Int64
    /// The time in milliseconds after which the claim expires.
    package var limit: Int64

    package init(start: Int64, limit: Int64) {
      self.start = start
      self.limit = limit
    }
  }

  /// The caller fetches the link. The preview may be shown meanwhile.
  case granted(PreviewEntry?)
  case known(PreviewEntry)
  /// Another server fetches the link, or recently failed to. The preview may be shown meanwhile.
  case taken(PreviewEntry?, Wait)
  /// The database is unavailable.
  case unavailable
}

/// A report from the server that fetched or purged previews to all others.
package enum PreviewNotice: Sendable, Hashable {
  case published(PreviewEntry)
  /// A claim has ended without an outcome.
  case abandoned(Link)
  case purged(PreviewSelection)
}
