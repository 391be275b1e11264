package import ParleyProtocol

/// A channel as clients see it: its record and the number of its participants.
package struct ChannelView: Sendable {
  package let channel: Channel
  package let participantCount: Int

  package init(channel: Channel, participantCount: Int) {
    self.channel = channel
    self.participantCount = participantCount
  }

  /// The channel as a JSON text.
  package func encoded() -> [UInt8] {
    JSONWriter.bytes { channel.encode(participantCount: participantCount, into: &$0) }
  }
}
