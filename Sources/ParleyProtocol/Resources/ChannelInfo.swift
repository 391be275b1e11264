/// A channel as clients see it: its record, and members that the record does not hold.
package struct ChannelInfo: Sendable, Hashable {
  package var channel: Channel
  /// The number of users in the channel.
  package var participantCount: Int
  /// The longest text of a user message, in characters.
  package var maxMessageLength: Int

  package init(
    _ channel: Channel, participantCount: Int, maxMessageLength: Int = Limits.messageLength
  ) {
    self.channel = channel
    self.participantCount = participantCount
    self.maxMessageLength = maxMessageLength
  }

  /// The channel as a JSON text.
  package func encoded() -> [UInt8] { JSONWriter.bytes { encode(into: &$0) } }

  /// Writes the channel as the contract shows it.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("channel_url", channel.url)
      $0.member("name", channel.name)
      $0.member("cover_url", channel.coverURL)
      $0.member("data", channel.fittingData)
      $0.member("custom_type", channel.customType)
      $0.member("is_ephemeral", channel.isEphemeral)
      $0.member("freeze", channel.isFrozen)
      $0.member("participant_count", participantCount)
      $0.member("max_length_message", maxMessageLength)
      $0.name("operators")
      channel.operators.fitted().encodeReferences(into: &$0)
      $0.member("created_at", channel.createdAt)
    }
  }

  /// Reads a channel; all but its URL and its time may be absent.
  package init(json: JSONNode) throws(ResourceError) {
    channel = try Channel(json: json)
    participantCount = max(0, Int(clamping: json["participant_count"]?.integer ?? 0))
    maxMessageLength = Int(
      clamping: json["max_length_message"]?.integer ?? Int64(Limits.messageLength))
  }
}
