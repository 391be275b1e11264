package import ParleyProtocol

/// The users in a channel, and the notices of those who enter and leave.
///
/// Belongs to the channel's home, since a user is in the channel while it is on any server. A pure
/// value: all effects are requested by its actions.
package struct ChannelPresence: Sendable {
  package private(set) var roster = ChannelRoster()
  private let url: String
  private var notices = PresenceNotices()
  /// The requested deadline that has not passed.
  private var wakeTime: Int64?
  /// Whether some participants are unknown to the home, so that nothing is published.
  private var isGathering = false
  /// The users who left under a previous home, and whose profiles are being read for the notice.
  private var departed: Set<String> = []
  /// The servers whose participants are notified of a user once its profile is read.
  private var corrections: [String: Set<UInt16>] = [:]

  package init(url: String) {
    self.url = url
  }

  /// Publishes nothing until ``PresenceInput/gathered(_:)``.
  mutating func beginGathering() { isGathering = true }

  /// The users known to the participants.
  var announced: AnnouncedUsers? {
    guard !isGathering else { return nil }
    guard roster.count <= PresenceNotices.largeChannel else { return .number }
    var users = Set(roster.page(after: 0, limit: roster.count).map(\.user.id)).union(departed)
    for (userID, isPublished) in notices.held {
      if isPublished { users.insert(userID) } else { users.remove(userID) }
    }
    return .users(users)
  }

  /// Handles an input.
  ///
  /// - Returns: The actions, in order.
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
    case .left(let userID, let server):
      if let user = roster.remove(userID, from: server) { didLeave(user, at: now, &actions) }
    case .expelled(let userID):
      if let user = roster.remove(userID) { didLeave(user, at: now, &actions) }
    case .ended:
      for user in roster.removeAll() { actions.append(.absent(userID: user.id)) }
    case .profile(let user): take(user, at: now, &actions)
    case .arrived(let userIDs, let server):
      for userID in add(userIDs, on: server, &actions) {
        note(
          PresenceChange(user: User(id: userID), session: nil), isPresent: true, at: now, &actions)
      }
    case .gone(let userIDs, let server):
      for userID in userIDs {
        if let user = roster.remove(userID, from: server) { didLeave(user, at: now, &actions) }
      }
    case .gathered(let announced, let stages):
      endGathering(announced, stages, at: now, &actions)
    case .attached(let server, let known): correct(known, on: server, at: now, &actions)
    case .deadline: publishDue(at: now, &actions)
    }
    requestWake(&actions)
    return actions
  }

  /// Adds users who are on a server.
  ///
  /// - Returns: The users who were on no server before.
  private mutating func add(
    _ userIDs: [String], on server: UInt16, _ actions: inout [PresenceAction]
  ) -> [String] {
    var added: [String] = []
    for userID in userIDs where roster.add(userID, on: server) {
      added.append(userID)
      actions.append(.present(userID: userID))
    }
    if !added.isEmpty { actions.append(.readProfiles(added)) }
    return added
  }

  /// Publishes the difference between the actual participants and the known ones, or their number
  /// if only the number was announced.
  ///
  /// - Parameter stages: The users known on each server; notices may have reached only some servers.
  private mutating func endGathering(
    _ announced: AnnouncedUsers, _ stages: [(server: UInt16, known: AnnouncedUsers)],
    at now: Moment, _ actions: inout [PresenceAction]
  ) {
    isGathering = false
    switch announced {
    case .number: notices.noteCount(at: now.monotonic)
    case .users(let known):
      let present = known.filter { roster.contains($0) }
      if roster.count <= PresenceNotices.largeChannel {
        for case (let server, .users(let known)) in stages {
          for userID in present.subtracting(known).sorted() {
            correct(userID, on: server, at: now, &actions)
          }
        }
      }
      for entry in roster.page(after: 0, limit: roster.count)
      where !known.contains(entry.user.id) {
        note(
          PresenceChange(user: entry.user, session: nil), isPresent: true, at: now, &actions)
      }
      departed = known.filter { !roster.contains($0) }
      if !departed.isEmpty { actions.append(.readProfiles(departed.sorted())) }
    }
  }

  /// Notifies the participants on a server, whose known users differ from those known elsewhere.
  private mutating func correct(
    _ known: AnnouncedUsers, on server: UInt16, at now: Moment, _ actions: inout [PresenceAction]
  ) {
    guard case .users(let known) = known, case .users(let users)? = announced else {
      return actions.append(.correct(stageNotice(.count, at: now), server: server))
    }
    for userID in known.symmetricDifference(users).sorted() {
      correct(userID, on: server, at: now, &actions)
    }
  }

  private mutating func correct(
    _ userID: String, on server: UInt16, at now: Moment, _ actions: inout [PresenceAction]
  ) {
    if let user = roster.user(userID) {
      actions.append(.correct(correction(of: user, at: now), server: server))
    } else {
      corrections[userID, default: []].insert(server)
      actions.append(.readProfiles([userID]))
    }
  }

  /// The notice that gives participants the same information about a user as the others have.
  private func correction(of user: User, at now: Moment) -> StageNotice {
    let change = PresenceChange(user: user, session: nil)
    let isPresent =
      notices.isPublished(user.id)
      ?? (roster.contains(user.id) || departed.contains(user.id))
    return stageNotice(isPresent ? .entered(change) : .exited(change), at: now)
  }

  private mutating func take(
    _ user: User, at now: Moment, _ actions: inout [PresenceAction]
  ) {
    roster.update(user)
    for server in corrections.removeValue(forKey: user.id)?.sorted() ?? [] {
      actions.append(.correct(correction(of: user, at: now), server: server))
    }
    guard departed.remove(user.id) != nil, !roster.contains(user.id) else { return }
    note(PresenceChange(user: user, session: nil), isPresent: false, at: now, &actions)
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
    guard !isGathering else { return }
    // Participants have not been notified that the user left.
    if departed.remove(change.user.id) != nil, isPresent { return }
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
    .publish(stageNotice(notice, at: now))
  }

  private func stageNotice(_ notice: PresenceNotice, at now: Moment) -> StageNotice {
    let origin = EventOrigin(channelURL: url, timestamp: now.unix)
    let event = notice.event(participantCount: roster.count)
    return StageNotice(
      payload: event.notification(from: origin), author: notice.author, mark: notice.mark)
  }

  /// Requests a wake-up at the next deadline, unless an earlier one was requested.
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
  /// A user's last connection on a server has left.
  case left(userID: String, server: UInt16)
  /// A user was removed from all servers.
  case expelled(userID: String)
  /// Everyone was removed: the channel was deleted.
  case ended
  /// A new profile of a user, whether the user is in the channel or not.
  case profile(User)
  /// Users on another server, as reported by that server.
  case arrived(userIDs: [String], server: UInt16)
  /// Users who are no longer on a server.
  case gone(userIDs: [String], server: UInt16)
  /// All servers have reported to a new home; with the users known to participants, also by server.
  case gathered(AnnouncedUsers, stages: [(server: UInt16, known: AnnouncedUsers)])
  /// A stage is attached again; with the users known to its participants.
  case attached(server: UInt16, AnnouncedUsers)
  /// The time of the last ``PresenceAction/wake(at:)``.
  case deadline
}

/// An action that a ``ChannelPresence`` requests from its host.
package enum PresenceAction: Sendable {
  /// Record that a user is now in the channel.
  case present(userID: String)
  /// Record that a user is no longer in the channel.
  case absent(userID: String)
  /// Publish a notice on all stages, in order with the events.
  case publish(StageNotice)
  /// Publish a notice only on the stage of another server, where it is missing.
  case correct(StageNotice, server: UInt16)
  /// Read the profiles of users known only by id; ``PresenceInput/profile(_:)`` follows, also for
  /// users without a profile.
  case readProfiles([String])
  /// Send ``PresenceInput/deadline`` at this time of the monotonic clock; replaces earlier requests.
  case wake(at: Int64)
}

/// A notification without a number, for all participants of a channel.
package struct StageNotice: Sendable, Hashable {
  /// The notification as a JSON text.
  package let payload: [UInt8]
  /// The connection that does not receive it.
  package let author: SessionAddress?
  /// The announced change.
  package let mark: PresenceMark
}
