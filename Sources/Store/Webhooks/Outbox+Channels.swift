import Channels
import ParleyProtocol

/// Events about channels and those in them, put into the outbox.
extension WriteTransaction {
  /// Puts an event of a channel there, unless the channel is ephemeral: its count of events lives
  /// in memory, so its events are put there by whoever counts them.
  func queueEvent(_ event: RecordedEvent, _ details: EventDetails, channelID: Int64) throws {
    guard let kind = WebhookEvent(rawValue: event.kind.rawValue), wants(kind),
      let url = try channelURL(channelID), let state = try channelRow(url),
      !state.channel.isEphemeral
    else { return }
    var channel = state.channel
    channel.operators = try operators(channelID: channelID)
    try queue(kind, EventOrigin(channel, event.timestamp), seq: event.seq) {
      notification(kind, event, details, channel)
    }
  }

  /// Puts the end of a channel there, which no longer is in the store.
  func queueEnd(of channel: Channel, _ event: RecordedEvent) throws {
    guard !channel.isEphemeral else { return }
    try queue(.channelDeleted, EventOrigin(channel, event.timestamp), seq: event.seq) {
      notification(.channelDeleted, event, .channel, channel)
    }
  }

  private func notification(
    _ kind: WebhookEvent, _ event: RecordedEvent, _ details: EventDetails, _ channel: Channel
  ) -> [UInt8] {
    let origin = EventOrigin(channel, event.timestamp)
    let bytes: [UInt8]
    switch details {
    case .channel: bytes = whole(kind, origin, event.seq, channel)
    case .operators(let users):
      bytes = EventEncoder.operatorsChanged(origin, seq: event.seq, operators: users)
    case .user(let user):
      bytes =
        kind == .userUnmuted
        ? EventEncoder.userUnmuted(origin, seq: event.seq, user: user)
        : EventEncoder.userUnbanned(origin, seq: event.seq, user: user)
    case .restriction(let user, let seconds, let description):
      let encode = kind == .userMuted ? EventEncoder.userMuted : EventEncoder.userBanned
      bytes = encode(origin, event.seq, user, seconds, description)
    }
    return .init(kind, bytes)
  }

  private func whole(
    _ kind: WebhookEvent, _ origin: EventOrigin, _ seq: Int64, _ channel: Channel
  ) -> [UInt8] {
    let count = connection.outbox?.participantCount(of: channel.url) ?? 0
    let json = JSONWriter.bytes { channel.encode(participantCount: count, into: &$0) }
    return switch kind {
    case .channelFrozen: EventEncoder.channelFrozen(origin, seq: seq, channel: json)
    case .channelUnfrozen: EventEncoder.channelUnfrozen(origin, seq: seq, channel: json)
    case .channelDeleted: EventEncoder.channelDeleted(origin, seq: seq, channel: json)
    default: EventEncoder.channelChanged(origin, seq: seq, channel: json)
    }
  }
}
