import ParleyProtocol

extension JudgeActions {
  /// Notifies mentioned users who are not in the channel.
  ///
  /// - Parameter isOnAccount: Whether the notices count in the sender's budget; those of the
  ///   Platform API do not.
  mutating func mention(
    _ sent: SentMessage, in standing: Standing, onAccountOf sender: String?
  ) {
    let message = sent.message
    guard message.mentionType == .users, !message.mentionedUsers.isEmpty else { return }
    let absent = message.mentionedUsers.map(\.id).filter { !standing.rights.isPresent($0) }
    guard !absent.isEmpty else { return }
    let notification = EventEncoder.mentionReceived(
      standing.origin(at: message.createdAt), message: message.encodedForMention(sent.encoded))
    append(.mention(absent, by: sender, notification: notification))
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
