/// One message on the bus.
package struct Frame: Sendable, Equatable {
  package var sender: ServerID
  /// The receiving server; `nil` for all servers.
  package var receiver: ServerID?
  package var content: Content

  package enum Content: Sendable, Equatable {
    case beat(Beat)
    case greeting(LinkNumbers, LinkVersions)
    case data(LinkNumbers, version: UInt8, LinkData)
  }

  package init(sender: ServerID, receiver: ServerID?, _ content: Content) {
    self.sender = sender
    self.receiver = receiver
    self.content = content
  }
}

/// A sign of life.
///
/// The sender receives its own beat too, which shows that the bus still carries messages.
package struct Beat: Sendable, Equatable {
  /// Counts the beats of the sender, so that an old one can be recognized.
  package var number: UInt64
  /// Whether the sender reaches the registry.
  package var seesRegistry: Bool
  /// Whether the sender's database accepts writes.
  package var canWrite: Bool
  /// Whether the sender has changed the registry, which should be read now.
  package var hasNews: Bool

  package init(
    number: UInt64, seesRegistry: Bool, canWrite: Bool = true, hasNews: Bool = false
  ) {
    self.number = number
    self.seesRegistry = seesRegistry
    self.canWrite = canWrite
    self.hasNews = hasNews
  }
}

/// The numbers that two servers have assigned to their link; both increase with each reset.
package struct LinkNumbers: Sendable, Equatable {
  /// Starts at 1.
  package var sender: UInt64
  /// 0 until the sender has learned it.
  package var receiver: UInt64
}

/// The versions of data frames, and of the messages in them, that a server supports.
///
/// The frame format itself is the same in all versions so far.
package struct LinkVersions: Sendable, Equatable {
  /// The versions of this program.
  package static let current = LinkVersions(lowest: 17, highest: 17)

  package let lowest: UInt8
  package let highest: UInt8

  /// - Precondition: 0 < `lowest` ≤ `highest`.
  package init(lowest: UInt8, highest: UInt8) {
    precondition(0 < lowest && lowest <= highest, "versions out of order")
    self.lowest = lowest
    self.highest = highest
  }

  package func contains(_ version: UInt8) -> Bool { lowest <= version && version <= highest }

  /// The highest version that both support, or `nil`.
  package func common(with other: LinkVersions) -> UInt8? {
    let version = min(highest, other.highest)
    return version >= max(lowest, other.lowest) ? version : nil
  }
}

/// A part of the data that one server sends to another on a link, with the state of the other direction.
package struct LinkData: Sendable, Equatable {
  /// The maximum number of gaps in a frame.
  package static let gapLimit = 16

  /// The frame's number from 1; 0 for a frame without payload.
  package var sequence: UInt64
  /// The highest number sent.
  package var sent: UInt64
  /// The number up to which all frames from the other server have arrived.
  package var confirmed: UInt64
  /// Missing numbers of the other server's frames.
  package var gaps: [ClosedRange<UInt64>]
  /// Pieces of messages (``OutgoingStream``).
  package var payload: [UInt8]

  package init(
    sequence: UInt64 = 0, sent: UInt64, confirmed: UInt64, gaps: [ClosedRange<UInt64>] = [],
    payload: [UInt8] = []
  ) {
    self.sequence = sequence
    self.sent = sent
    self.confirmed = confirmed
    self.gaps = gaps
    self.payload = payload
  }
}
