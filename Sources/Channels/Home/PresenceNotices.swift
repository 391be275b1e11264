import ParleyProtocol

/// A user who entered or left.
struct PresenceChange: Sendable {
  let user: User
  /// The entering connection, which is not notified of its own entry.
  let session: SessionAddress?
}

/// A notice about the participants of a channel.
enum PresenceNotice: Sendable {
  case entered(PresenceChange)
  case exited(PresenceChange)
  /// Their number, instead of notices about single users.
  case count

  /// The connection that is not notified.
  var author: SessionAddress? {
    switch self {
    case .entered(let change), .exited(let change): change.session
    case .count: nil
    }
  }

  /// The announced change.
  var mark: PresenceMark {
    switch self {
    case .entered(let change): .entered(userID: change.user.id)
    case .exited(let change): .exited(userID: change.user.id)
    case .count: .count
    }
  }

  /// The event that participants receive.
  func event(participantCount count: Int) -> Event {
    switch self {
    case .entered(let change):
      .userEntered(Event.Presence(user: change.user, participantCount: count))
    case .exited(let change):
      .userExited(Event.Presence(user: change.user, participantCount: count))
    case .count: .participantCount(Event.ParticipantCount(count))
    }
  }
}

/// Limits the rate of notices about users who enter and leave.
///
/// Individual notices in small channels, at most one a second for each user. In a channel with more
/// than 100 participants only the count is announced, at most once a second and only if it changed.
/// Pure: times are milliseconds of one clock.
struct PresenceNotices: Sendable {
  /// Above this number of participants only the count is announced.
  static let largeChannel = 100
  static let interval: Int64 = 1000

  private var pacer = PresencePacer<PresenceChange>()
  /// The count known to participants.
  private var announcedCount = 0
  /// The time of the last announcement of only the count.
  private var announcedAt = Int64.min / 2
  /// The time at which the count is announced, if it still differs.
  private var countDue: Int64?

  /// The time of the next ``take(at:count:isPresent:)``; `nil` if nothing is pending.
  var due: Int64? {
    guard let held = pacer.due else { return countDue }
    return min(held, countDue ?? held)
  }

  /// Records that a user entered or left.
  ///
  /// - Parameter count: The number of participants after the change.
  /// - Returns: The notice to publish at once.
  mutating func note(
    _ change: PresenceChange, isPresent: Bool, count: Int, at now: Int64
  ) -> PresenceNotice? {
    guard count <= Self.largeChannel else {
      scheduleCount(at: now)
      return nil
    }
    guard pacer.change(change.user.id, isPresent: isPresent, change, at: now) else { return nil }
    return announce(change, isPresent: isPresent, count: count)
  }

  /// The users whose last change is held back, and whether participants know them as present.
  var held: [(userID: String, isPublished: Bool)] { pacer.held }

  /// Whether participants know a user as present whose last change is held back; `nil` for others.
  func isPublished(_ userID: String) -> Bool? { pacer.isPublished(userID) }

  /// Announces the number of participants, instead of unknown changes.
  mutating func noteCount(at now: Int64) { scheduleCount(at: now) }

  /// Returns the due notices.
  ///
  /// - Parameters:
  ///   - count: The number of participants in the channel.
  ///   - isPresent: Whether a user is in the channel now.
  mutating func take(
    at now: Int64, count: Int, isPresent: (String) -> Bool
  ) -> [PresenceNotice] {
    var notices: [PresenceNotice] = []
    if let countDue, countDue <= now {
      self.countDue = nil
      if count != announcedCount {
        announcedCount = count
        announcedAt = now
        notices.append(.count)
      }
    }
    for (change, isPresent) in pacer.take(at: now, isPresent: isPresent) {
      if count <= Self.largeChannel {
        notices.append(announce(change, isPresent: isPresent, count: count))
      } else {
        scheduleCount(at: now)
      }
    }
    return notices
  }

  private mutating func announce(
    _ change: PresenceChange, isPresent: Bool, count: Int
  ) -> PresenceNotice {
    announcedCount = count
    return isPresent ? .entered(change) : .exited(change)
  }

  private mutating func scheduleCount(at now: Int64) {
    if countDue == nil { countDue = max(announcedAt + Self.interval, now) }
  }
}
