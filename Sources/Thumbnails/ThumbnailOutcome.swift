/// The result of the work on a file, as counted by metrics.
package enum ThumbnailOutcome: String, Hashable, Sendable, CaseIterable {
  /// All requested thumbnails were made.
  case made
  /// No attempt was made, because of the format, a limit, or a full queue.
  case refused
  /// A program reported an error.
  case failed
  /// The CPU time or the wall clock time ran out.
  case timedOut = "timed_out"
  /// A program was killed by a signal, for example when out of memory.
  case killed

  /// The exit status of `parley-thumbnail` for this outcome.
  package var exitStatus: Int32 {
    switch self {
    case .made: 0
    case .refused: 10
    case .failed: 11
    case .timedOut: 12
    case .killed: 13
    }
  }

  /// - Returns: `nil` for any other status, for example if walls could not be set up.
  package init?(exitStatus: Int32) {
    guard let outcome = Self.allCases.first(where: { $0.exitStatus == exitStatus }) else {
      return nil
    }
    self = outcome
  }
}

/// The answer to a request for thumbnails.
package struct ThumbnailResult: Hashable, Sendable {
  package let outcome: ThumbnailOutcome
  /// The reason for any outcome except ``ThumbnailOutcome/made``, for operators.
  package let reason: String
  /// The thumbnails that were made, possibly only some of those requested.
  package let thumbnails: [Thumbnail]
  /// Whether another attempt would have the same outcome, which is caused by the file.
  package let isFinal: Bool

  package init(
    _ outcome: ThumbnailOutcome, reason: String = "", thumbnails: [Thumbnail] = [],
    isFinal: Bool = true
  ) {
    self.isFinal = isFinal
    self.outcome = outcome
    self.reason = reason
    self.thumbnails = thumbnails
  }
}
