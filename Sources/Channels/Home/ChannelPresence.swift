package import ParleyProtocol

/// The users in a channel, and the notices of those who enter and leave.
///
/// Belongs to the channel's home, for a user is in the channel while it is on any server. A pure
/// value: it asks for all effects by its actions.
package struct ChannelPresence: Sendable {
  package private(set) var roster = ChannelRoster()
  private let url: String
  private var notices = PresenceNotices()
  /// The deadline that was asked for and has not come.
  private var wakeTime: Int64?

  package init(url: String) {
    self.url = url
  }

  /// Takes an input in.
  ///
  /// - Returns: What is to be done, in this order.
  package mutating func handle(
    _ input: PresenceInput, at now: Moment
  ) -> [PresenceAction] {
    var actions: [PresenceAction] = []
    switch input {
    case .entered(let user, let session):
      if roster.add(user, on: session.server) {
        actions.append(.present(userID: user.id))
        note(PresenceChange(user: user, session: session), isPresent: true, at: now, &actions)
      }
    case .left(let userID, let server, _):
      if let user = roster.remove(userID, from: server) { didLeave(user, at: now, &actions) }
    case .expelled(let userID):
      if let user = roster.remove(userID) { didLeave(user, at: now, &actions) }
    case .ended:
      for user in roster.removeAll() { actions.append(.absent(userID: user.id)) }
    case .profile(let user): roster.update(user)
    case .attached(let userIDs, let server):
      attach(userIDs, on: server, at: now, &actions)
    case .serverGone(let server):
      for userID in roster.userIDs(on: server) {
        if let user = roster.remove(userID, from: server) { didLeave(user, at: now, &actions) }
      }
    case .deadline: publishDue(at: now, &actions)
    }
    requestWake(&actions)
    return actions
  }

  /// Takes over the users on a stage.
  ///
  /// When its server had any before, the difference is published. A server that is new to this home
  /// had them at another home, so participants know of them.
  private mutating func attach(
    _ userIDs: [String], on server: UInt16, at now: Moment, _ actions: inout [PresenceAction]
  ) {
    let isKnown = roster.has(server: server)
    let present = Set(userIDs)
    for userID in roster.userIDs(on: server) where !present.contains(userID) {
      if let user = roster.remove(userID, from: server) { didLeave(user, at: now, &actions) }
    }
    var added: [String] = []
    for userID in userIDs where roster.add(userID, on: server) {
      added.append(userID)
      actions.append(.present(userID: userID))
      guard isKnown else { continue }
      note(
        PresenceChange(user: User(id: userID), session: nil), isPresent: true, at: now, &actions)
    }
    if !added.isEmpty { actions.append(.readProfiles(added)) }
  }

  private mutating func didLeave(
    _ user: User, at now: Moment, _ actions: inout [PresenceAction]
  ) {
    actions.append(.absent(userID: user.id))
    note(PresenceChange(user: user, session: nil), isPresent: false, at: now, &actions)
  }

  private mutating func note(
    _ change: PresenceChange, isPresent: Bool, at now: Moment,
    _ actions: inout [PresenceAction]
  ) {
    let notice = notices.note(
      change, isPresent: isPresent, count: roster.count, at: now.monotonic)
    if let notice { actions.append(publication(of: notice, at: now)) }
  }

  private mutating func publishDue(at now: Moment, _ actions: inout [PresenceAction]) {
    wakeTime = nil
    let due = notices.take(at: now.monotonic, count: roster.count, isPresent: roster.contains)
    for notice in due { actions.append(publication(of: notice, at: now)) }
  }

  private func publication(of notice: PresenceNotice, at now: Moment) -> PresenceAction {
    let origin = EventOrigin(channelURL: url, timestamp: now.unix)
    let event = notice.event(participantCount: roster.count)
    return .publish(StageNotice(payload: event.notification(from: origin), author: notice.author))
  }

  /// Asks to be woken for the next deadline, unless an earlier one was asked for.
  private mutating func requestWake(_ actions: inout [PresenceAction]) {
    guard let due = notices.due, due < wakeTime ?? .max else { return }
    wakeTime = due
    actions.append(.wake(at: due))
  }
}

/// An input of a ``ChannelPresence``.
package enum PresenceInput: Sendable {
  /// A user's first connection on a server has entered.
  case entered(User, SessionAddress)
  /// A user's last connection on a server has left, and these servers were given its window.
  case left(userID: String, server: UInt16, heirs: [UInt16])
  /// A user was put out, on whichever servers it was.
  case expelled(userID: String)
  /// Everyone was put out: the channel is no more.
  case ended
  /// A new profile of a user, whether the user is in the channel or not.
  case profile(User)
  /// A stage on another server has attached, with these users on it.
  case attached(userIDs: [String], server: UInt16)
  /// A server is gone, with all its connections.
  case serverGone(UInt16)
  /// The time of the last ``PresenceAction/wake(at:)``.
  case deadline
}

/// An action that a ``ChannelPresence`` asks of its host.
package enum PresenceAction: Sendable {
  /// Note that a user is in the channel from now on.
  case present(userID: String)
  /// Note that a user is in the channel no longer.
  case absent(userID: String)
  /// Publish a notice on all stages, in its place among the events.
  case publish(StageNotice)
  /// Read the profiles of users of whom the id alone is known, for ``PresenceInput/profile(_:)``.
  case readProfiles([String])
  /// Give ``PresenceInput/deadline`` at this time of the monotonic clock, and forget earlier requests.
  case wake(at: Int64)
}

/// A notification without a number, for all participants of a channel.
package struct StageNotice: Sendable, Hashable {
  /// The notification as a JSON text.
  package let payload: [UInt8]
  /// The connection that does not receive it.
  package let author: SessionAddress?

  package init(payload: [UInt8], author: SessionAddress?) {
    self.payload = payload
    self.author = author
  }
}
