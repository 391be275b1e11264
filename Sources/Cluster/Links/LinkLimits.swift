/// The bounds of a link, and its clocks in milliseconds.
package struct LinkLimits: Sendable {
  /// The most bytes that are kept until the peer confirms them, and of one message.
  package var keptBytes = 8 << 20
  /// How long the peer may leave something unconfirmed.
  package var keptTime: Int64 = 10_000
  /// The most bytes of a frame on the bus.
  package var frameBytes: Int
  /// Bytes that are received before they are confirmed at once.
  package var confirmationBytes = 256 << 10
  /// How long a confirmation waits for something to travel with.
  package var confirmationDelay: Int64 = 50
  /// The time after which a gap that is still there is named again, and sent frames that were not
  /// confirmed are asked after.
  package var repeatDelay: Int64 = 100
  /// The most bytes that are sent again for one frame that names gaps.
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
  /// Frames that were sent again.
  package var refills: UInt64 = 0
  package var resets: UInt64 = 0
  /// Frames that had arrived before, or belong to a link that was reset.
  package var stale: UInt64 = 0
  /// Frames that no peer would send.
  package var invalid: UInt64 = 0
  /// Greetings of peers with which no version is shared.
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
