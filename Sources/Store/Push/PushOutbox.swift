import Channels
import ParleyProtocol

/// The push jobs that a store writes, and the callback for its reports.
package struct PushJobOptions: Sendable {
  /// The time from a message to its push (`push.delay_ms`).
  package var delayMilliseconds: Int64
  /// Whether messages of open channels are pushed to the users whom they mention.
  package var pushesOpenChannelMentions: Bool
  /// Called after the commit that stored the jobs, on the thread that wrote them.
  package var didQueue: @Sendable ([PushArrival]) -> Void

  package init(
    delayMilliseconds: Int64 = 0, pushesOpenChannelMentions: Bool = false,
    didQueue: @escaping @Sendable ([PushArrival]) -> Void
  ) {
    self.delayMilliseconds = delayMilliseconds
    self.pushesOpenChannelMentions = pushesOpenChannelMentions
    self.didQueue = didQueue
  }
}

/// A new push job.
package struct PushArrival: Sendable, Hashable {
  package var lane: OutboxLane
  /// Unix milliseconds.
  package var dueAt: Int64
}

/// A writer's side of push jobs, which are added in the transaction that creates them.
///
/// Confined to the writer's thread.
final class PushOutbox {
  let options: PushJobOptions
  /// The jobs of the current transaction.
  private var arrivals: [PushArrival] = []

  init(_ options: PushJobOptions) {
    self.options = options
  }

  func add(_ arrival: PushArrival) { arrivals.append(arrival) }

  /// The position in the transaction, for `rollBack(to:)`.
  var mark: Int { arrivals.count }

  /// Discards the jobs of a write that was undone.
  func rollBack(to mark: Int) { arrivals.removeSubrange(mark...) }

  /// Reports the jobs of a transaction, once it is durable.
  func announce() {
    guard !arrivals.isEmpty else { return }
    options.didQueue(arrivals)
    arrivals = []
  }
}

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
