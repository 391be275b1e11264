import FloodControl
import ParleyProtocol
import Reactor

extension HomeChannel: TimerHandler {
  func timerDidFire(_ token: EventLoop.TimerToken) {
    if token == notices.timer {
      notices.timer = nil
      tellWithheld()
    } else if token == presence.timer {
      presence.timer = nil
      tellCount()
    }
  }

  /// Sets the timer for `channel.throttled`, if something was withheld.
  func scheduleNotices() {
    guard notices.timer == nil, let due = notices.due else { return }
    notices.timer = node.loop.schedule(after: due - node.loop.now, self)
  }

  /// Tells every participant what it missed: those who missed the same get the same bytes.
  private func tellWithheld() {
    notices.noteTold(at: node.loop.now)
    var groups: [WithheldMessages: [SessionReference]] = [:]
    for slot in 0..<participants.slotCount {
      guard let missed = participants.takeWithheld(slot: slot),
        let participant = participants[slot]
      else { continue }
      groups[missed, default: []].append(contentsOf: participant.connections)
    }
    for (missed, connections) in groups { tell(missed, to: connections) }
  }

  /// Tells connections what they missed.
  func tell(_ missed: WithheldMessages, to connections: [SessionReference]) {
    let event = EventEncoder.throttled(
      origin(at: now), withheld: missed.count, first: missed.firstMessageID,
      last: missed.lastMessageID)
    for (index, group) in Dictionary(grouping: connections, by: \.node) {
      node.post(to: services.cluster.nodes[index]) { node in
        node.send(event, to: group)
      }
    }
  }

  /// Counts and tells that a user came or went.
  func tellPresence(
    of user: User, _ encode: (EventOrigin, User, Int) -> [UInt8], except: SessionReference?
  ) {
    services.participantCounts.set(participants.count, of: url)
    if participants.count > PresenceNotices.largeChannel {
      scheduleCount()
    } else {
      presence.toldCount = participants.count
      publish(encode(origin(at: now), user, participants.count), except: except)
    }
  }

  private func scheduleCount() {
    guard presence.timer == nil else { return }
    let wait = presence.toldAt + PresenceNotices.interval - node.loop.now
    presence.timer = node.loop.schedule(after: max(wait, 0), self)
  }

  private func tellCount() {
    guard participants.count != presence.toldCount else { return }
    presence.toldCount = participants.count
    presence.toldAt = node.loop.now
    publish(EventEncoder.participantCount(origin(at: now), participantCount: participants.count))
  }
}

extension Node {
  /// Sends the same event to several connections of this node.
  func send(_ event: [UInt8], to group: [SessionReference]) {
    for reference in group { sessions[reference.connection]?.send(event) }
  }
}
