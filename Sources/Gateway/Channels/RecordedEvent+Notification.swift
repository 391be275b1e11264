import Channels
import ParleyProtocol
import Store

extension RecordedEvent {
  /// The event as participants are told it; `nil` for one that can't be read any more.
  func notification(in channel: HomeChannel) -> [UInt8]? {
    let origin = channel.origin(at: timestamp)
    switch kind {
    case .channelChanged:
      return EventEncoder.channelChanged(origin, seq: seq, channel: channel.encoded())
    case .channelDeleted:
      return EventEncoder.channelDeleted(origin, seq: seq, channel: channel.encoded())
    case .channelFrozen:
      return EventEncoder.channelFrozen(origin, seq: seq, channel: channel.encoded())
    case .channelUnfrozen:
      return EventEncoder.channelUnfrozen(origin, seq: seq, channel: channel.encoded())
    case .userMuted, .userUnmuted, .userBanned, .userUnbanned, .operatorsChanged:
      return moderation(origin)
    case .messageUpdated, .messageDeleted:
      return nil
    }
  }

  private func moderation(_ origin: EventOrigin) -> [UInt8]? {
    guard let root = try? JSONDocument(Array(payload.utf8)).root else { return nil }
    if kind == .operatorsChanged {
      let operators = root["operators"]?.elements.compactMap { try? User(json: $0) } ?? []
      return EventEncoder.operatorsChanged(origin, seq: seq, operators: operators)
    }
    guard let node = root["user"], let user = try? User(json: node) else { return nil }
    let seconds = root["seconds"]?.integer ?? 0
    let description = root["description"]?.string ?? ""
    switch kind {
    case .userMuted:
      return EventEncoder.userMuted(
        origin, seq: seq, user: user, seconds: seconds, description: description)
    case .userBanned:
      return EventEncoder.userBanned(
        origin, seq: seq, user: user, seconds: seconds, description: description)
    case .userUnmuted: return EventEncoder.userUnmuted(origin, seq: seq, user: user)
    default: return EventEncoder.userUnbanned(origin, seq: seq, user: user)
    }
  }
}
