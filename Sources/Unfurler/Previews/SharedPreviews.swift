package import LinkPreview

/// The previews that all servers of a deployment share, and who fetches which.
///
/// A claim gives one server the right to fetch a link for a while. That server publishes the outcome,
/// or abandons the claim; when it dies, the claim ends by itself. What is published reaches the
/// memories of all servers as a ``PreviewNotice``, which may be lost.
///
/// Completions are called once, on any thread, and must not block.
package protocol SharedPreviews: Sendable {
  /// Looks a link up, and claims it unless it is known or claimed.
  ///
  /// - Parameters:
  ///   - duration: The time after which the claim ends by itself.
  ///   - start: The ``SharedClaim/Wait/start`` of the caller's wait: an outcome that was published
  ///     since counts as known, however short it may be kept. `nil` for a caller that has not waited.
  func claim(
    _ link: Link, for duration: Duration, since start: Int64?,
    completion: @escaping @Sendable (SharedClaim) -> Void)

  /// Ends this server's claim with an outcome; does nothing when the claim was purged or taken over.
  func publish(_ entry: PreviewEntry)

  /// Publishes an outcome whoever has claimed the link.
  func replace(_ entry: PreviewEntry)

  /// Ends this server's claim without an outcome; nobody can claim the link before a pause is over.
  func abandon(_ link: Link, pause: Duration)

  /// Lists what is stored, in the order of the links; `nil` when the database cannot be read.
  func entries(
    _ selection: PreviewSelection, after cursor: String?, limit: Int,
    completion: @escaping @Sendable (PreviewPage?) -> Void)

  /// Forgets links and the claims of them, and lets all servers forget them.
  ///
  /// - Parameter completion: Called with the number of previews that were stored; `nil` when the
  ///   database cannot be written.
  func purge(_ selection: PreviewSelection, completion: @escaping @Sendable (Int?) -> Void)
}

/// The outcome of asking for the right to fetch a link.
package enum SharedClaim: Sendable, Hashable {
  /// The wait for another server's fetch.
  package struct Wait: Sendable, Hashable {
    /// The time of the database when it began, in Unix milliseconds.
    package var start: Int64
    /// The time in milliseconds after which the claim ends by itself.
    package var limit: Int64

    package init(start: Int64, limit: Int64) {
      self.start = start
      self.limit = limit
    }
  }

  /// The caller fetches the link. The preview may be shown meanwhile.
  case granted(PreviewEntry?)
  case known(PreviewEntry)
  /// Another server fetches the link, or has failed to a short while ago. The preview may be shown
  /// meanwhile.
  case taken(PreviewEntry?, Wait)
  /// The database cannot be asked.
  case unavailable
}

/// A report from the server that fetched or purged previews to all others.
package enum PreviewNotice: Sendable, Hashable {
  case published(PreviewEntry)
  /// A claim has ended without an outcome.
  case abandoned(Link)
  case purged(PreviewSelection)
}
