import Channels
import FloodControl
import ParleyProtocol
import Reactor

extension HomeChannel: TimerHandler {
  func timerDidFire(_ token: EventLoop.TimerToken) {
    if token == notices.timer {
      notices.timer = nil
      tellWithheld()
    } else if token == presence.timer {
      publishCount()
    } else if token == presenceTimer {
      publishHeldPresence()
    } else if token == updateTimer {
      publishHeldUpdates()
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
    var groups: [WithheldMessages: [SessionAddress]] = [:]
    for slot in 0..<participants.slotCount {
      guard let missed = participants.takeWithheld(slot: slot),
        let participant = participants[slot]
      else { continue }
      groups[missed, default: []].append(contentsOf: participant.connections)
    }
    for (missed, connections) in groups { tell(missed, to: connections) }
  }

  /// Tells connections what they missed.
  func tell(_ missed: WithheldMessages, to connections: [SessionAddress]) {
    let event = EventEncoder.throttled(
      origin(at: now), withheld: missed.count, first: missed.firstMessageID,
      last: missed.lastMessageID)
    for (index, group) in Dictionary(grouping: connections, by: \.shard) {
      node.post(to: services.cluster.nodes[Int(index)]) { node in
        node.send(event, to: group)
      }
    }
  }
}

extension Node {
  /// Sends the same event to several connections of this node.
  func send(_ event: [UInt8], to group: [SessionAddress]) {
    for reference in group { session(reference)?.send(event) }
  }
}
