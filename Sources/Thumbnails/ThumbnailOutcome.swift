/// The result of the work on a file, as metrics count it.
package enum ThumbnailOutcome: String, Hashable, Sendable, CaseIterable {
  /// All thumbnails asked for were made.
  case made
  /// Nothing was tried: the format, a limit, or a full queue.
  case refused
  /// A program reported an error.
  case failed
  /// The processor time or the wall clock ran out.
  case timedOut = "timed_out"
  /// A program was ended by a signal, such as that of exhausted memory.
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

  /// - Returns: `nil` for a status that stands for no outcome, as when walls could not be raised.
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
  /// The reason for anything but ``ThumbnailOutcome/made``, for operators.
  package let reason: String
  /// The thumbnails that were made, which may be some of those asked for.
  package let thumbnails: [Thumbnail]
  /// Whether another attempt would end alike: the outcome is the file's doing.
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
