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
  var info: ChannelInfo {
    ChannelInfo(rights.channel, participantCount: rights.presentCount)
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
  ///
  /// - Parameter author: The connection that learns of the event by the answer to its request.
  /// - Returns: The size of the event.
  @discardableResult
  func publish(
    _ event: Event, seq: Int64, at timestamp: Int64, author: SessionAddress? = nil,
    into actions: inout JudgeActions
  ) -> Int {
    let published = ChannelEvent(event, in: place.url, seq: seq, at: timestamp, author: author)
    actions.append(.publish(published))
    if isEphemeral {
      actions.append(
        .post(event, from: EventOrigin(channelURL: place.url, seq: seq, timestamp: timestamp)))
    }
    return published.payload.count
  }
}
