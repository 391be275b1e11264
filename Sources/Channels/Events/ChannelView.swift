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

  /// The result of `channel.enter`.
  ///
  /// - Parameters:
  ///   - epoch: Names the life of the channel's count of events.
  ///   - seq: The last event before the entering.
  ///   - recovered: The missed events, whole notifications; `nil` when they were not recovered.
  func encodedForEntering(epoch: String, seq: Int64, recovered: [[UInt8]]?) -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.name("channel")
        channel.encode(participantCount: participantCount, into: &$0)
        $0.member("participant_count", participantCount)
        $0.member("epoch", epoch)
        $0.member("seq", seq)
        $0.member("recovered", recovered != nil)
        $0.member("events", array: { for event in recovered ?? [] { $0.value(raw: event) } })
      }
    }
  }
}
