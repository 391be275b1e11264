import FloodControl
import ParleyProtocol

/// The state that every command of a channel is judged by.
struct Standing: Sendable {
  let place: LogChannel
  let sources: JudgeSources
  var rights: Rights
  var flood: FloodWindows
  var count: EventCount

  var isEphemeral: Bool { rights.channel.isEphemeral }

  /// The channel as clients see it.
  var view: ChannelView {
    ChannelView(channel: rights.channel, participantCount: rights.presentCount)
  }

  func origin(at timestamp: Int64) -> EventOrigin {
    EventOrigin(channelURL: place.url, timestamp: timestamp)
  }

  /// Takes a place in the principal's flood window; `nil` for one whom the limit does not hold.
  ///
  /// - Throws: 900200.
  mutating func takePlace(
    _ principal: Principal, _ activity: FloodActivity, bytes: Int, at now: Int64
  ) throws(ServiceError) -> FloodPlace? {
    guard let user = principal.user, rights.isFloodLimited(principal) else { return nil }
    return try flood.takePlace(of: user.id, activity, bytes: bytes, at: now)
  }

  /// Takes a place in the window of changes, and counts a refusal.
  mutating func takeChange(
    _ principal: Principal, bytes: Int = 0, at now: Int64, into actions: inout JudgeActions
  ) throws(ServiceError) -> FloodPlace? {
    do throws(ServiceError) {
      return try takePlace(principal, .change, bytes: bytes, at: now)
    } catch {
      actions.count { $0.refused.flood += 1 }
      throw error
    }
  }

  /// Publishes an event, and posts it to the webhooks where the log does not.
  func publish(
    _ name: WebhookEvent, _ subject: ChannelEvent.Subject, seq: Int64, at timestamp: Int64,
    author: SessionAddress? = nil, payload: [UInt8], into actions: inout JudgeActions
  ) {
    actions.append(
      .publish(
        ChannelEvent(
          payload: payload, subject: subject, seq: seq, timestamp: timestamp, author: author)))
    if isEphemeral {
      actions.append(.post(name, seq: seq, at: timestamp, notification: payload))
    }
  }

  /// Publishes a changed message.
  ///
  /// - Parameter author: The connection that learns of the change by its answer.
  func publishUpdate(
    of message: ChangedMessage, seq: Int64, at timestamp: Int64, author: SessionAddress?,
    into actions: inout JudgeActions
  ) {
    let payload = EventEncoder.messageUpdated(
      origin(at: timestamp), seq: seq, message: message.encoded)
    publish(
      .messageUpdated, .update(ofMessage: message.message.id), seq: seq, at: timestamp,
      author: author, payload: payload, into: &actions)
  }
}
