import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("Events as passed to stages")
struct ChannelEventTests {
  private let ann = User(id: "ann")
  private let message = EventMessage(
    Message(id: 7, channelURL: "lobby", user: User(id: "ann"), text: "x", createdAt: 5))
  private let info = ChannelInfo(
    Channel(url: "lobby", name: "Lobby", createdAt: 0), participantCount: 1)

  private func event(_ event: Event) -> ChannelEvent {
    ChannelEvent(event, in: "lobby", seq: 4, at: 9, author: .sample(1))
  }

  @Test("contain the notification, the number, the time and the author")
  func origin() {
    let deleted = Event.messageDeleted(.init(messageID: 7))
    let event = event(deleted)
    #expect(
      event.payload
        == deleted.notification(from: EventOrigin(channelURL: "lobby", seq: 4, timestamp: 9)))
    #expect(event.seq == 4 && event.timestamp == 9 && event.author == .sample(1))
  }

  @Test("message events contain the message ID and what the throttle needs")
  func messages() {
    guard case .message(let facts) = event(.messageReceived(message)).subject,
      case .update(ofMessage: 7) = event(.messageUpdated(message)).subject,
      case .deletion(ofMessage: 7) = event(.messageDeleted(.init(messageID: 7))).subject
    else { return #expect(Bool(false)) }
    #expect(facts.id == 7 && facts.createdAt == 5 && facts.authorID == "ann")
  }

  @Test("channel events contain its record, its operators or its end")
  func channels() {
    for change in [
      Event.channelChanged(info), .channelFrozen(info), .channelUnfrozen(info),
    ] {
      guard case .record(info.channel) = event(change).subject else {
        Issue.record("no record: \(change.name)")
        continue
      }
    }
    guard case .operators([ann]) = event(.operatorsChanged(.init([ann]))).subject,
      case .end = event(.channelDeleted(info)).subject
    else { return #expect(Bool(false)) }
  }

  @Test("of the events about a user, only a ban removes the user")
  func users() {
    let restriction = Event.Restriction(user: ann, seconds: 1, description: "")
    guard case .expulsion(ofUser: "ann") = event(.userBanned(restriction)).subject,
      case .announcement = event(.userMuted(restriction)).subject,
      case .announcement = event(.userUnmuted(.init(user: ann))).subject,
      case .announcement = event(.userUnbanned(.init(user: ann))).subject
    else { return #expect(Bool(false)) }
  }

  @Test("new operators are shown everything from that event on, and the record lists them")
  func operators() {
    let rig = StageRig(limit: RateLimit(count: 1, windowMilliseconds: 1000))
    let session = SessionAddress.sample(1)
    rig.enter(session, "ann")
    rig.settle()
    rig.publish("operators", .operators([ann]))
    for id in Int64(1)...3 { rig.send(id, by: "bob") }
    #expect(rig.turn(session) == ["operators", "m1", "m2", "m3"])
    rig.publish("operators", .operators([]))
    for id in Int64(4)...6 { rig.send(id, by: "bob") }
    #expect(rig.turn(session).count < 4)
  }
}
