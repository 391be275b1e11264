/// The limits of a link, and its timeouts in milliseconds.
package struct LinkLimits: Sendable {
  /// The maximum size of the data kept until the peer confirms it, and of one message.
  package var keptBytes = 8 << 20
  /// The maximum time that data may stay unconfirmed by the peer.
  package var keptTime: Int64 = 10_000
  /// The maximum size of a frame on the bus.
  package var frameBytes: Int
  /// The number of received bytes after which a confirmation is sent at once.
  package var confirmationBytes = 256 << 10
  /// The maximum time that a confirmation waits for a frame to travel with.
  package var confirmationDelay: Int64 = 50
  /// The time after which a persisting gap is named again, and a confirmation of sent frames is
  /// requested.
  package var repeatDelay: Int64 = 100
  /// The maximum number of bytes resent for one frame that names gaps.
  package var refillBytes = 1 << 20
  /// The longest pause between two greetings without an answer.
  package var greetingPause: Int64 = 500
  /// The shortest pause between two answers to greetings.
  package var answerPause: Int64 = 20

  package init(frameBytes: Int) { self.frameBytes = frameBytes }
}

/// Counts of events on links.
package struct LinkCounters: Sendable, Equatable {
  /// Frames that named gaps.
  package var gaps: UInt64 = 0
  /// Frames that were resent.
  package var refills: UInt64 = 0
  package var resets: UInt64 = 0
  /// Frames that had arrived before, or belong to a link that was reset.
  package var stale: UInt64 = 0
  /// Frames that a correct peer would not send.
  package var invalid: UInt64 = 0
  /// Greetings of peers without a common version.
  package var otherVersions: UInt64 = 0

  package init() {}

  package static func += (left: inout LinkCounters, right: LinkCounters) {
    left.gaps += right.gaps
    left.refills += right.refills
    left.resets += right.resets
    left.stale += right.stale
    left.invalid += right.invalid
    left.otherVersions += right.otherVersions
  }
}
