import Channels
import FloodControl
import ParleyProtocol
import Reactor
import Telemetry

extension HomeChannel {
  /// Notifies mentioned users who are connected and not in the channel.
  ///
  /// - Parameter author: The connection that sent the message; without one, it came over the
  ///   Platform API, which no budget holds.
  func notifyMentioned(in sent: SentMessage, by author: SessionAddress?) {
    let message = sent.message
    guard message.mentionType == .users, !message.mentionedUsers.isEmpty else { return }
    let absent = message.mentionedUsers.map(\.id).filter { !stage.contains($0) }
    guard !absent.isEmpty else { return }
    let event = EventEncoder.mentionReceived(
      origin(at: message.createdAt), message: message.encodedForMention(sent.encoded))
    guard author != nil, let sender = message.user?.id else { return node.mention(absent, event) }
    node.post(toUser: sender) { node in
      let count = node.users.admitMentions(absent.count, by: sender)
      node.counters.add(UInt64(absent.count - count), to: .mentionsDropped)
      node.mention(absent.prefix(count), event)
    }
  }
}

extension Node {
  fileprivate func mention(_ userIDs: some Sequence<String>, _ event: [UInt8]) {
    for userID in userIDs {
      post(toUser: userID) { $0.users.send(event, to: userID) }
    }
  }
}

extension Message {
  /// The largest message that a mention carries whole, in bytes of its JSON.
  private static let wholeMentionBytes = 8_192

  /// The message as `mention.received` carries it: a large one without data, extra data and preview.
  ///
  /// - Parameter whole: The message as clients see it.
  fileprivate func encodedForMention(_ whole: [UInt8]) -> [UInt8] {
    guard whole.count > Self.wholeMentionBytes else { return whole }
    var message = self
    message.data = ""
    message.metaArrays = []
    message.openGraphTag = nil
    return message.encoded()
  }
}
