import Channels
import ParleyProtocol

/// The job of a new message.
struct MessagePush {
  let channelID: Int64
  let messageID: Int64
  /// Unix milliseconds.
  let createdAt: Int64
  let arrival: PushArrival
  /// JSON; `nil` for none.
  let template: String?

  /// - Parameter mentionsUsers: Whether the message mentions users who exist.
  /// - Returns: `nil` for a message that is not pushed.
  init?(
    _ new: UnsequencedMessage, mentionsUsers: Bool, in channel: LogChannel,
    _ options: PushJobOptions
  ) {
    // Of a group of two, the only other member blocks the author.
    guard let intent = new.pushes, new.role != .imported, new.blockerID == nil else { return nil }
    let message = new.message
    let isForMentioned =
      options.pushesOpenChannelMentions && !new.isSilent && mentionsUsers
      && message.mentionType == .users
    guard new.isCounted || isForMentioned else { return nil }
    channelID = channel.id
    (messageID, createdAt) = (message.id, message.createdAt)
    arrival = PushArrival(
      lane: OutboxLane(ofChannel: channel.url), dueAt: createdAt + options.delayMilliseconds)
    template = intent.template.map(StoredPushTemplate.column)
  }

  /// The column of a message of a group: not `NULL` for one that is pushed.
  var column: String { template ?? "" }
}
