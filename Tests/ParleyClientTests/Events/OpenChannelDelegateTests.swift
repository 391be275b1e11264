import Synchronization
import Testing

@testable import ParleyClient

@Suite("A delegate")
struct OpenChannelDelegateTests {
  @Test("may omit the methods that it does not need")
  func defaults() throws {
    let core = ClientCore(bufferedEvents: 10)
    let channel = try core.enteredChannel()
    let delegate = Indifferent()
    let user = User(userID: "kim")
    let details = RestrictionDetails(seconds: 1, description: "")
    let events: [OpenChannelEvent] = [
      .changed, .frozen, .unfrozen, .deleted, .operatorsChanged([]), .userEntered(user),
      .userExited(user), .participantCountChanged(1), .userMuted(user, details),
      .userUnmuted(user), .userBanned(user, details), .userUnbanned(user),
      .messageDeleted(messageID: 1), .recovered(eventCount: 1), .eventsLost(.gap),
      .dropped(count: 1),
    ]
    for event in events { delegate.tell(event, in: channel) }
    delegate.tell(ConnectionEvent.sessionExpiring(at: 1))
  }

  @Test("receives each event through the matching method")
  func methods() throws {
    let core = ClientCore(bufferedEvents: 10)
    let channel = try core.enteredChannel()
    let delegate = Noting()
    let user = User(userID: "kim")
    let details = RestrictionDetails(seconds: 1, description: "")
    let events: [OpenChannelEvent] = [
      .changed, .frozen, .unfrozen, .deleted, .operatorsChanged([]), .userEntered(user),
      .userExited(user), .participantCountChanged(1), .userMuted(user, details),
      .userUnmuted(user), .userBanned(user, details), .userUnbanned(user), .eventsLost(.gap),
      .messagesThrottled(ThrottledMessages(count: 5, firstMessageID: 1, lastMessageID: 9)),
    ]
    for event in events { delegate.tell(event, in: channel) }
    #expect(
      delegate.notes.withLock { $0 } == [
        "changed", "frozen", "unfrozen", "deleted lobby", "operators", "enter kim", "exit kim",
        "count", "muted kim", "unmuted kim", "banned kim", "unbanned kim", "lost gap", "5 more",
      ])
  }
}

private final class Indifferent: OpenChannelDelegate, ConnectionDelegate {}

private final class Noting: OpenChannelDelegate {
  let notes = Mutex<[String]>([])

  private func note(_ text: String) {
    notes.withLock { $0.append(text) }
  }

  func channelWasChanged(_ channel: OpenChannel) { note("changed") }
  func channelWasFrozen(_ channel: OpenChannel) { note("frozen") }
  func channelWasUnfrozen(_ channel: OpenChannel) { note("unfrozen") }
  func channelWasDeleted(_ channelURL: String) { note("deleted \(channelURL)") }
  func channelOperatorsDidUpdate(_ channel: OpenChannel) { note("operators") }
  func channelParticipantCountDidChange(_ channel: OpenChannel) { note("count") }
  func channel(_ channel: OpenChannel, userDidEnter user: User) { note("enter \(user.id)") }
  func channel(_ channel: OpenChannel, userDidExit user: User) { note("exit \(user.id)") }
  func channel(
    _ channel: OpenChannel, userWasMuted user: User, restriction: RestrictionDetails
  ) { note("muted \(user.id)") }
  func channel(_ channel: OpenChannel, userWasUnmuted user: User) { note("unmuted \(user.id)") }
  func channel(
    _ channel: OpenChannel, userWasBanned user: User, restriction: RestrictionDetails
  ) { note("banned \(user.id)") }
  func channel(_ channel: OpenChannel, userWasUnbanned user: User) { note("unbanned \(user.id)") }
  func channel(_ channel: OpenChannel, didLoseEvents loss: EventLoss) { note("lost \(loss)") }
  func channel(_ channel: OpenChannel, messagesThrottled messages: ThrottledMessages) {
    note("\(messages.count) more")
  }
}
