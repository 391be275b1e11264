import Synchronization
import Testing

@testable import ParleyClient

@Suite("An event of a group")
struct GroupEventTests {
  private let core = ClientCore(bufferedEvents: 10)

  /// An event of the group `trip`.
  private func receive(_ method: String, _ params: String, seq: Int64 = 5) {
    core.receive(method, #"{"channel_url":"trip","seq":\#(seq),"ts":50,\#(params)}"#)
  }

  private func membership(_ userID: String, members: Int, joined: Int) -> String {
    #""user":{"user_id":"\#(userID)"},"member_count":\#(members),"joined_member_count":\#(joined)"#
  }

  @Test("keeps the members up to date")
  func members() throws {
    core.keep(User(userID: "ann"))
    let group = try core.knownGroup()
    receive("group.joined", membership("kim", members: 3, joined: 3))
    #expect(group.joinedMemberCount == 3)
    let kim = try #require(group.members.last)
    #expect(kim.userID == "kim" && kim.state == .joined && kim.joinedAt == 50 && kim.invitedAt == 7)
    receive("group.left", membership("jeff", members: 2, joined: 2) + #","reason":"removed""#)
    #expect(group.memberCount == 2 && group.members.map(\.userID) == ["ann", "kim"])
    receive(
      "group.invited",
      #""inviter":null,"users":[{"user_id":"leo"}],"channel":\#(Sample.groupEvent(name: "Tour"))"#)
    #expect(group.name == "Tour" && group.memberCount == 3)
    #expect(group.members.last?.state == .invited && group.members.last?.invitedAt == 50)
    receive("group.declined", membership("leo", members: 2, joined: 2))
    #expect(group.memberCount == 2 && group.members.map(\.userID) == ["ann", "kim"])
    #expect(group.myMemberState == .joined)
  }

  @Test("keeps the numbers of members of a large group, which come without a number")
  func memberCounts() throws {
    let group = try core.knownGroup()
    core.receive(
      "group.member_count",
      #"{"channel_url":"trip","ts":50,"member_count":7000,"joined_member_count":6999}"#)
    #expect(group.memberCount == 7_000 && group.joinedMemberCount == 6_999)
    #expect(group.members.count == 3)
  }

  @Test("keeps the properties, and those that events lack")
  func properties() throws {
    core.keep(User(userID: "ann"))
    let group = try core.knownGroup()
    receive("channel.changed", #""channel":\#(Sample.groupEvent(name: "Tour"))"#)
    #expect(group.name == "Tour" && group.isAccessCodeRequired)
    #expect(group.members.count == 3 && group.lastMessage != nil && group.joinedAt == 8)
    receive("channel.operators_changed", #""operators":[{"user_id":"ann"}]"#)
    #expect(group.isOperator(userID: "ann") && group.myRole == .operator)
    #expect(group.members.map(\.role) == [.none, .operator, .none])
    receive("channel.user_muted", #""user":{"user_id":"ann"},"seconds":9,"description":"""#)
    #expect(group.myMutedState == .muted && group.members[1].mutedState == .muted)
    receive("channel.user_unmuted", #""user":{"user_id":"ann"}"#)
    #expect(group.myMutedState == .unmuted && group.members[1].mutedState == .unmuted)
  }

  @Test("keeps the last message, which is not an older one that was changed")
  func lastMessage() throws {
    let group = try core.knownGroup()
    receive("message.updated", #""message":\#(Sample.message(id: 19, text: "old"))"#)
    #expect(group.lastMessage?.messageID == 20)
    receive("message.updated", #""message":\#(Sample.message(id: 20, text: "changed"))"#)
    #expect(group.lastMessage?.message == "changed")
    receive("message.received", #""message":\#(Sample.message(id: 21, text: "new"))"#)
    #expect(group.lastMessage?.message == "new")
    // The answer has the message before.
    _ = core.group(try core.groupProperties(Sample.group(seq: 5)))
    #expect(group.lastMessage?.message == "new")
    receive("message.deleted", #""message_id":20"#)
    #expect(group.lastMessage?.message == "new")
    receive("message.deleted", #""message_id":21"#)
    #expect(group.lastMessage == nil)
  }

  @Test("also keeps the last message when the client itself sends or changes one")
  func ownMessages() throws {
    let group = try core.knownGroup()
    let json = Sample.message(id: 22, text: "mine").replacing("lobby", with: "trip")
    let call = core.messageCalls.send(.init(message: "mine"), to: "trip", requestID: "r")
    _ = try call.read(AnswerReader.document(#"{"message":\#(json),"seq":5}"#.json))
    #expect(group.lastMessage?.message == "mine")
    let changed = json.replacing("mine", with: "ours")
    let update = core.messageCalls.update(
      MessageReference(channelURL: "trip", messageID: 22), .init(message: "ours"))
    _ = try update.read(AnswerReader.document(#"{"message":\#(changed)}"#.json))
    #expect(group.lastMessage?.message == "ours")
  }

  @Test("of an unknown group is held until any answer has the group, and then comes first")
  func unknown() async throws {
    // The client is not connected, so the group that it reads itself does not arrive.
    var events = core.streams.events().makeAsyncIterator()
    core.receive("group.ready", #"{"ts":1,"token":"t"}"#)
    let stranger = try core.knownGroup(Sample.group(my: nil))
    #expect(try core.arrivals.hold(message(21), ofGroup: "trip"))
    #expect(try !core.arrivals.hold(message(22), ofGroup: "trip"))
    let group = try core.knownGroup()
    #expect(group === stranger && group.lastMessage?.messageID == 22)
    receive("message.received", #""message":\#(Sample.message(id: 23))"#)
    for id in [21, 22, 23] as [Int64] {
      guard case .group(group, .messageReceived(let message)) = await events.next() else {
        Issue.record("message \(id) is not reported in its place")
        return
      }
      #expect(message.messageID == id)
    }
  }

  private func message(_ id: Int64) throws -> GroupArrivals.Event {
    let message = try core.reader.message(AnswerReader.document(Sample.message(id: id).json))
    let params = try AnswerReader.document(#"{"seq":\#(id)}"#.json)
    return GroupArrivals.Event(.messageReceived(message), .message(message), params, nil)
  }

  @Test("ends the membership, after which the client releases the group")
  func ended() async throws {
    core.keep(User(userID: "ann"))
    let group = try core.knownGroup()
    #expect(core.channels.isEntered("trip"))
    var events = group.events.makeAsyncIterator()
    core.receive("group.lost", #"{"channel_url":"trip","ts":50,"reason":"banned"}"#)
    guard case .membershipEnded(.banned) = await events.next() else {
      Issue.record("the end of the membership is not reported")
      return
    }
    #expect(group.myMemberState == .none && !core.channels.isEntered("trip"))
  }

  @Test("reports what happened during a lost connection", arguments: [4, 6, 7] as [Int64])
  func recovery(seq: Int64) async throws {
    let group = try core.knownGroup()
    var events = group.events.makeAsyncIterator()
    core.receive(.stateChanged(.reconnecting(attempt: 1, after: .zero, because: .serverDraining)))
    // A read before the events of groups arrive again does not end the uncertainty.
    _ = core.group(try core.groupProperties(Sample.group(seq: seq)))
    core.receive("group.ready", #"{"ts":1,"token":"t"}"#)
    if seq == 7 { receive("message.deleted", #""message_id":1"#, seq: 7) }
    // What was missed could not be recovered, so that the group is read.
    group.state.stopHoldingEvents()
    _ = core.group(try core.groupProperties(Sample.group(seq: seq)))
    var next = await events.next()
    // The event may wait for the answer.
    if case .messageDeleted = next { next = await events.next() }
    switch (seq, next) {
    case (4, .recovered(eventCount: 0)), (6, .eventsLost(.gap)), (7, .eventsLost(.gap)): break
    case (_, let event): Issue.record("\(seq): \(String(describing: event))")
    }
  }

  @Test("of another epoch does not count")
  func epoch() async throws {
    let group = try core.knownGroup()
    var events = group.events.makeAsyncIterator()
    core.receive(.stateChanged(.reconnecting(attempt: 1, after: .zero, because: .serverDraining)))
    core.receive("group.ready", #"{"ts":1,"token":"t"}"#)
    group.state.stopHoldingEvents()
    _ = core.group(try core.groupProperties(Sample.group(seq: 1, epoch: "f")))
    guard case .eventsLost(.gap) = await events.next() else {
      Issue.record("the gap is not reported")
      return
    }
  }

  @Test("reaches delegates, of which one may be for both kinds of channels")
  func delegates() async throws {
    let core = ClientCore(bufferedEvents: 1)
    _ = try core.knownGroup()
    _ = try core.enteredChannel()
    let listener = Listener()
    core.delegates.add(listener as any GroupChannelDelegate, identifier: "a")
    core.delegates.add(listener as any OpenChannelDelegate, identifier: "a")
    let gate = Gate()
    core.callbacks.run { gate.wait() }
    for url in ["lobby", "trip", "lobby", "trip"] {
      core.receive("channel.user_unbanned", #"{"channel_url":"\#(url)","user":\#(Sample.user)}"#)
    }
    gate.open()
    await withCheckedContinuation { waiter in core.callbacks.run { waiter.resume() } }
    #expect(listener.heard == ["dropped 3", "trip"])
  }

  @Test("receives each event through the matching method")
  func methods() throws {
    let group = try core.knownGroup()
    let (listener, user) = (Noting(), User(userID: "kim"))
    let details = RestrictionDetails(seconds: 1, description: "")
    let events: [GroupChannelEvent] = [
      .changed, .frozen, .unfrozen, .deleted, .operatorsChanged([]),
      .invitationReceived([user], inviter: nil), .invitationDeclined(user), .userJoined(user),
      .userLeft(user, .left), .membershipEnded(.removed), .userMuted(user, details),
      .unreadMessageCountChanged, .hidden, .unhidden, .readStatusChanged, .typingStatusChanged,
      .userUnmuted(user), .userBanned(user, details), .userUnbanned(user),
      .messageDeleted(messageID: 1), .recovered(eventCount: 0), .eventsLost(.gap),
      .dropped(count: 1),
      .messagesThrottled(ThrottledMessages(count: 5, firstMessageID: 1, lastMessageID: 9)),
    ]
    for event in events { listener.tell(event, in: group) }
    #expect(
      listener.heard == [
        "deleted trip", "invited kim", "declined kim", "joined kim", "left kim left",
        "ended removed", "unread", "hidden", "unhidden", "read", "typing",
        "lost gap",
      ])
  }
}

private final class Listener: OpenChannelDelegate, GroupChannelDelegate {
  private let notes = Mutex<[String]>([])

  var heard: [String] { notes.withLock { $0 } }

  func note(_ text: String) {
    notes.withLock { $0.append(text) }
  }

  func channel(_ channel: OpenChannel, userWasUnbanned user: User) { note(channel.url) }
  func channel(_ channel: GroupChannel, userWasUnbanned user: User) { note(channel.url) }
  func eventsWereDropped(count: Int) { note("dropped \(count)") }
}

private final class Noting: GroupChannelDelegate {
  private let notes = Mutex<[String]>([])

  var heard: [String] { notes.withLock { $0 } }

  private func note(_ text: String) {
    notes.withLock { $0.append(text) }
  }

  func channelWasDeleted(_ channelURL: String) { note("deleted \(channelURL)") }
  func channel(_ channel: GroupChannel, didReceiveInvitation invitees: [User], inviter: User?) {
    note("invited \(invitees.map(\.userID).joined())")
  }
  func channel(_ channel: GroupChannel, didDeclineInvitation invitee: User) {
    note("declined \(invitee.userID)")
  }
  func channel(_ channel: GroupChannel, userDidJoin user: User) { note("joined \(user.userID)") }
  func channel(_ channel: GroupChannel, userDidLeave user: User, reason: MembershipEnd) {
    note("left \(user.userID) \(reason)")
  }
  func channel(_ channel: GroupChannel, membershipDidEnd reason: MembershipEnd) {
    note("ended \(reason)")
  }
  func channelDidChangeUnreadMessageCount(_ channel: GroupChannel) { note("unread") }
  func channelWasHidden(_ channel: GroupChannel) { note("hidden") }
  func channelWasUnhidden(_ channel: GroupChannel) { note("unhidden") }
  func channelDidUpdateReadStatus(_ channel: GroupChannel) { note("read") }
  func channelDidUpdateTypingStatus(_ channel: GroupChannel) { note("typing") }
  func channel(_ channel: GroupChannel, didLoseEvents loss: EventLoss) { note("lost \(loss)") }
}
