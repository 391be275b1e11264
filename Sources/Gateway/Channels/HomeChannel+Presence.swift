import Channels
import ParleyProtocol
import Reactor

/// A user who entered or left.
struct PresenceChange: Sendable {
  let user: User
  /// The connection that entered, which is not notified of its own entering.
  let session: SessionAddress?
}

extension HomeChannel {
  /// Counts that a user entered or left, and publishes it in a small channel: at most once a second
  /// for each user.
  func publishPresence(_ change: PresenceChange, isPresent: Bool) {
    services.participantCounts.set(participants.count, of: url)
    guard participants.count <= PresenceNotices.largeChannel else {
      scheduleCount()
      return
    }
    let now = node.loop.now
    if presencePacer.change(change.user.id, isPresent: isPresent, change, at: now) {
      publish(change, isPresent: isPresent)
    }
    schedulePresence()
  }

  /// Publishes the entering and leaving that was held back, where it still makes a difference.
  func publishHeldPresence() {
    presenceTimer = nil
    let changes = presencePacer.take(at: node.loop.now) { participants.contains($0) }
    for (change, isPresent) in changes {
      guard participants.count <= PresenceNotices.largeChannel else {
        scheduleCount()
        continue
      }
      publish(change, isPresent: isPresent)
    }
    schedulePresence()
  }

  /// Publishes the number of participants of a large channel, if it changed.
  func publishCount() {
    presence.timer = nil
    guard participants.count != presence.toldCount else { return }
    presence.toldCount = participants.count
    presence.toldAt = node.loop.now
    publish(EventEncoder.participantCount(origin(at: now), participantCount: participants.count))
  }

  private func publish(_ change: PresenceChange, isPresent: Bool) {
    let (user, count) = (change.user, participants.count)
    presence.toldCount = count
    if isPresent {
      publish(
        EventEncoder.userEntered(origin(at: now), user: user, participantCount: count),
        except: change.session)
    } else {
      publish(EventEncoder.userExited(origin(at: now), user: user, participantCount: count))
    }
  }

  private func schedulePresence() {
    guard presenceTimer == nil, let due = presencePacer.due else { return }
    presenceTimer = node.loop.schedule(after: max(due - node.loop.now, 0), self)
  }

  private func scheduleCount() {
    guard presence.timer == nil else { return }
    let wait = presence.toldAt + PresenceNotices.interval - node.loop.now
    presence.timer = node.loop.schedule(after: max(wait, 0), self)
  }
}
