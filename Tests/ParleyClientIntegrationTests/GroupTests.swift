import ParleyClient
import TestPeers
import TestSupport
import Testing

extension ClientTests {
  @Suite("takes part in groups")
  struct GroupTests {
    /// Connects the users with these ids.
    private static func connect(
      _ server: ServerProcess, _ userIDs: String...
    ) async throws -> [ParleyClient] {
      var clients: [ParleyClient] = []
      for userID in userIDs { clients.append(try await server.client(userID)) }
      return clients
    }

    @Test("whose members receive messages without entering, and have the group's properties")
    func messages() async throws {
      let server = try ServerProcess(unlimited)
      let clients = try await Self.connect(server, "ann", "ben", "cleo")
      let (ann, ben, cleo) = (clients[0], clients[1], clients[2])
      #expect(ann.features?.groups?.maxMembers == 100)
      var ofBen = ben.events.makeAsyncIterator()
      var ofCleo = cleo.events.makeAsyncIterator()
      let params = GroupChannelCreateParams(name: "Trip", userIDs: ["ben"])
      params.users = [User(userID: "cleo")]
      params.data = "{}"
      let trip = try await ann.createGroupChannel(params: params)
      #expect(trip.name == "Trip" && trip.data == "{}" && !trip.isPublic && !trip.isDistinct)
      #expect(trip.memberCount == 3 && trip.joinedMemberCount == 3)
      #expect(Set(trip.members.map(\.userID)) == ["ann", "ben", "cleo"])
      #expect(trip.members.first { $0.userID == "ann" }?.role == .operator)
      #expect(trip.myMemberState == .joined && trip.myRole == .operator)
      #expect(trip.myMutedState == .unmuted && trip.messageOffsetTimestamp == 0)
      #expect(trip.creator?.userID == "ann" && trip.lastMessage == nil)
      #expect(trip.joinedAt > 0 && trip.inviter == nil)
      var events = trip.events.makeAsyncIterator()

      let sent = try await trip.sendUserMessage("who has the tickets?")
      #expect(sent.ordinal == 1)
      #expect(trip.lastMessage?.messageID == sent.messageID)
      // The first event of a group that a client does not know has the group with its properties.
      let (group, received) = try await ofBen.first(\.groupMessage)
      #expect(received.message == "who has the tickets?" && received.sender?.userID == "ann")
      #expect(group.url == trip.url && group.name == "Trip" && group.memberCount == 3)
      #expect(group.myRole == .none && group.inviter?.userID == "ann")
      #expect(group.lastMessage?.messageID == sent.messageID)
      _ = try await ofCleo.first(\.groupMessage)

      let answer = try await group.sendUserMessage("I have")
      #expect(answer.ordinal == 2)
      #expect(try await events.first(\.received).messageID == answer.messageID)
      #expect(trip.lastMessage?.messageID == answer.messageID)
      let file = FileMessageCreateParams(fileURL: "https://files.example/plan.pdf")
      let plan = try await group.sendFileMessage(params: file)
      #expect(try await events.first(\.received) as? FileMessage == plan)
      try await group.updateUserMessage(messageID: answer.messageID, params: .init(message: "Me"))
      #expect(try await events.first(\.updated).message == "Me")
      #expect(trip.lastMessage?.messageID == plan.messageID)
      #expect(try await trip.messages().map(\.ordinal) == [1, 2, 3])

      // After a deletion, the client reads the group for the message before.
      try await group.deleteMessage(plan)
      try await events.first { event in
        if case .messageDeleted(plan.messageID) = event { () } else { nil }
      }
      try await Deadline.standard.wait(for: "the message before") {
        trip.lastMessage?.messageID == answer.messageID
          && group.lastMessage?.messageID == answer.messageID
      }
    }

    @Test("and receives everything in order, from the first event of a group that it does not know")
    func order() async throws {
      let server = try ServerProcess(unlimited)
      let clients = try await Self.connect(server, "ann", "ben")
      var events = clients[1].events.makeAsyncIterator()
      let trip = try await clients[0].createGroupChannel(params: .init(userIDs: ["ben"]))
      let count = 200
      for number in 1...count {
        trip.sendUserMessage("\(number)") { _, error in #expect(error == nil) }
      }
      var received: [Int64] = []
      while received.count < count {
        let (group, message) = try await events.first(\.groupMessage)
        #expect(group.memberCount == 2 && message.message == "\(message.ordinal)")
        received.append(message.ordinal)
      }
      #expect(received == (1...Int64(count)).map { $0 })
    }

    @Test("again under another name when the client connects as another user")
    func otherUser() async throws {
      let server = try ServerProcess(unlimited)
      let clients = try await Self.connect(server, "ann", "ben")
      let trip = try await clients[0].createGroupChannel(params: .init(userIDs: ["ben"]))
      #expect(trip.myRole == .operator)
      var events = trip.events.makeAsyncIterator()
      await clients[0].disconnect()
      await clients[1].disconnect()
      try await clients[0].connect(userID: "ben")
      _ = try await events.first { event in
        if case .recovered(let count) = event { count } else { nil }
      }
      #expect(trip.myRole == .none && trip.inviter?.userID == "ann")
    }

    @Test("with invitations, which are accepted or declined")
    func invitations() async throws {
      let server = try ServerProcess(unlimited)
      let clients = try await Self.connect(server, "ann", "ben", "cleo")
      let (ann, ben, cleo) = (clients[0], clients[1], clients[2])
      for userID in ["ben", "cleo"] {
        _ = try server.call(
          "PUT", "users/\(userID)/channel_invitation_preference", #"{"auto_accept":false}"#)
      }
      var ofBen = ben.events.makeAsyncIterator()
      var ofCleo = cleo.events.makeAsyncIterator()
      let trip = try await ann.createGroupChannel(params: GroupChannelCreateParams())
      var events = trip.events.makeAsyncIterator()
      let result = try await trip.inviteUserIDs(["ben", "cleo", "ann"])
      #expect(Set(result.invitedUserIDs) == ["ben", "cleo"])
      #expect(result.joinedUserIDs == [] && result.skippedUserIDs == ["ann"])
      #expect(trip.memberCount == 3 && trip.joinedMemberCount == 1)

      let (group, invited, inviter) = try await ofBen.first(\.invitation)
      #expect(Set(invited.map(\.userID)) == ["ben", "cleo"] && inviter?.userID == "ann")
      #expect(group.myMemberState == .invited && group.inviter?.userID == "ann")
      #expect(group.invitedAt > 0 && group.joinedAt == 0)
      await #expect(throws: ParleyError.notInChannel) { try await group.sendUserMessage("hi") }
      try await group.acceptInvitation()
      #expect(group.myMemberState == .joined && group.joinedMemberCount == 2)
      let joined = try await events.first { event in
        if case .userJoined(let user) = event { user.userID } else { nil }
      }
      #expect(joined == "ben" && trip.joinedMemberCount == 2)
      #expect(trip.members.first { $0.userID == "ben" }?.state == .joined)

      let (declined, _, _) = try await ofCleo.first(\.invitation)
      try await declined.declineInvitation()
      let decliner = try await events.first { event in
        if case .invitationDeclined(let user) = event { user.userID } else { nil }
      }
      #expect(decliner == "cleo" && trip.memberCount == 2)
      #expect(Set(trip.members.map(\.userID)) == ["ann", "ben"])
      await #expect(throws: ParleyError.self) { try await declined.acceptInvitation() }
    }

    @Test("which users leave, join, and are removed from")
    func members() async throws {
      let server = try ServerProcess(unlimited)
      let clients = try await Self.connect(server, "ann", "ben", "cleo")
      let (ann, ben, cleo) = (clients[0], clients[1], clients[2])
      let params = GroupChannelCreateParams(name: "Club", userIDs: ["ben"])
      params.channelURL = "club"
      params.isPublic = true
      params.accessCode = "open sesame"
      let club = try await ann.createGroupChannel(params: params)
      #expect(club.isPublic && club.isAccessCodeRequired)
      var events = club.events.makeAsyncIterator()
      let ofBen = try await ben.groupChannel(url: "club")
      var eventsOfBen = ofBen.events.makeAsyncIterator()
      try await ofBen.leave()
      let left = try await events.first { event in
        if case .userLeft(let user, .left) = event { user.userID } else { nil }
      }
      #expect(left == "ben" && club.memberCount == 1)
      try await eventsOfBen.first { if case .membershipEnded(.left) = $0 { () } else { nil } }
      #expect(ofBen.myMemberState == .none)

      let ofCleo = try await cleo.groupChannel(url: "club")
      #expect(ofCleo.name == "Club" && ofCleo.members == [] && ofCleo.myMemberState == .none)
      let error = await #expect(throws: ParleyError.self) {
        try await ofCleo.join(accessCode: "wrong")
      }
      #expect(error?.code == 400_111)
      try await ofCleo.join(accessCode: "open sesame")
      #expect(ofCleo.myMemberState == .joined)
      #expect(ofCleo.messageOffsetTimestamp == ofCleo.joinedAt)
      var eventsOfCleo = ofCleo.events.makeAsyncIterator()
      try await club.sendUserMessage("welcome")
      #expect(try await eventsOfCleo.first(\.received).message == "welcome")

      let query = club.createMemberListQuery(params: MemberListQueryParams())
      #expect(try await query.loadNextPage().map(\.userID) == ["ann", "cleo"])
      #expect(!query.hasNext)
      try await club.removeMembers(userIDs: ["cleo"])
      #expect(club.memberCount == 1)
      try await eventsOfCleo.first { if case .membershipEnded(.removed) = $0 { () } else { nil } }
      await #expect(throws: ParleyError.notInChannel) { try await ofCleo.sendUserMessage("hi") }
      try await club.delete()
      try await events.first { if case .deleted = $0 { () } else { nil } }
      try await events.first { if case .membershipEnded(.channelDeleted) = $0 { () } else { nil } }
    }

    @Test("one of exactly these members, and a private one that does not exist for others")
    func distinctAndPrivate() async throws {
      let server = try ServerProcess(unlimited)
      let clients = try await Self.connect(server, "ann", "ben", "eve")
      let (ann, ben, eve) = (clients[0], clients[1], clients[2])
      let params = GroupChannelCreateParams(userIDs: ["ben"])
      params.isDistinct = true
      let pair = try await ann.createGroupChannel(params: params)
      params.userIDs = ["ann"]
      #expect(try await ben.createGroupChannel(params: params).url == pair.url)
      #expect(pair.isDistinct)
      let known = await #expect(throws: ParleyError.self) {
        try await eve.groupChannel(url: pair.url)
      }
      let unknown = await #expect(throws: ParleyError.self) {
        try await eve.groupChannel(url: "nowhere")
      }
      guard case .notFound = known, case .notFound = unknown else {
        Issue.record("\(String(describing: known)), \(String(describing: unknown))")
        return
      }
      await #expect(throws: ParleyError.self) { try await eve.openChannel(url: pair.url) }
      let missing = await #expect(throws: ParleyError.self) {
        try await pair.inviteUserIDs(["nobody-of-this-id"])
      }
      #expect(missing?.code == 400_201)
    }

    @Test("whose operators moderate, with all clients up to date")
    func operators() async throws {
      let server = try ServerProcess(unlimited)
      let clients = try await Self.connect(server, "ann", "ben")
      let (ann, ben) = (clients[0], clients[1])
      let trip = try await ann.createGroupChannel(params: .init(userIDs: ["ben"]))
      let group = try await ben.groupChannel(url: trip.url)
      var events = group.events.makeAsyncIterator()
      let refusal = await #expect(throws: ParleyError.self) { try await group.freeze() }
      #expect(refusal?.code == 400_108)
      try await trip.freeze()
      try await events.first { if case .frozen = $0 { () } else { nil } }
      #expect(trip.isFrozen && group.isFrozen)
      #expect(trip.members.count == 2 && group.members.count == 2)
      await #expect(throws: ParleyError.frozen) { try await group.sendUserMessage("hi") }
      try await trip.unfreeze()
      try await trip.muteUser(userID: "ben", seconds: 600)
      try await events.first { if case .userMuted = $0 { () } else { nil } }
      #expect(group.myMutedState == .muted)
      await #expect(throws: ParleyError.muted) { try await group.sendUserMessage("hi") }
      try await trip.unmuteUser(userID: "ben")
      try await trip.addOperators(userIDs: ["ben"])
      #expect(trip.members.allSatisfy { $0.role == .operator })
      try await events.first { if case .operatorsChanged = $0 { () } else { nil } }
      #expect(group.myRole == .operator && group.myMutedState == .unmuted)
      try await group.update(params: GroupChannelUpdateParams(name: "Journey"))
      var ofTrip = trip.events.makeAsyncIterator()
      try await group.update(params: GroupChannelUpdateParams(name: "Voyage"))
      try await ofTrip.first { event in
        if case .changed = event, trip.name == "Voyage" { () } else { nil }
      }
      try await group.banUser(userID: "ann")
      try await ofTrip.first { if case .membershipEnded(.banned) = $0 { () } else { nil } }
      #expect(trip.myMemberState == .none)
    }

    @Test("lists an invitation once, also when a message moves it to a page that was read")
    func risenInvitations() async throws {
      let server = try ServerProcess(unlimited)
      let clients = try await Self.connect(server, "ann", "ben")
      _ = try server.call(
        "PUT", "users/ben/channel_invitation_preference", #"{"auto_accept":false}"#)
      var groups: [GroupChannel] = []
      for _ in 0..<5 {
        groups.append(try await clients[0].createGroupChannel(params: .init(userIDs: ["ben"])))
      }
      for group in groups { try await group.sendUserMessage("early") }
      let query = clients[1].createMyGroupChannelListQuery { $0.limit = 2 }
      var listed = try await query.loadNextPage()
      for group in groups.prefix(2) { try await group.sendUserMessage("late") }
      while query.hasNext { listed += try await query.loadNextPage() }
      #expect(listed.map(\.url) == [4, 3, 2, 1, 0].map { groups[$0].url })
    }

    @Test("with previews that arrive as updates for all members")
    func previews() async throws {
      let pages = try PageServer(page: PreviewTests.page)
      defer { pages.stop() }
      let server = try ServerProcess(PreviewTests.settings)
      let clients = try await Self.connect(server, "ann", "ben")
      let trip = try await clients[0].createGroupChannel(
        params: GroupChannelCreateParams(userIDs: ["ben"]))
      let group = try await clients[1].groupChannel(url: trip.url)
      var (own, others) = (trip.events.makeAsyncIterator(), group.events.makeAsyncIterator())
      let sent = try await trip.sendUserMessage("see \(pages.url("/a"))")
      for updated in [try await own.first(\.updated), try await others.first(\.updated)] {
        #expect(updated.messageID == sent.messageID && updated.ogMetaData?.title == "A page")
      }
      #expect(trip.lastMessage?.ogMetaData?.title == "A page")
    }

    @Test("and recovers them after a lost connection, reporting the number of missed events")
    func reconnection() async throws {
      let first = try ServerProcess(unlimited)
      let proxy = try CuttingProxy(to: first.port)
      defer { proxy.stop() }
      let ben = try await connectedClient(to: proxy.url, "ben")
      let ann = try await first.client("ann")
      let trip = try await ann.createGroupChannel(
        params: GroupChannelCreateParams(name: "Trip", userIDs: ["ben"]))
      let quiet = try await ben.createGroupChannel(params: GroupChannelCreateParams())
      let group = try await ben.groupChannel(url: trip.url)
      var (events, ofQuiet) = (group.events.makeAsyncIterator(), quiet.events.makeAsyncIterator())
      var ofBen = ben.events.makeAsyncIterator()
      try await trip.sendUserMessage("before")
      #expect(try await events.first(\.received).message == "before")

      // Nobody listens on the discard port of loopback.
      proxy.lead(to: 9)
      proxy.cutNow()
      try await ofBen.first { if case .reconnecting = $0.connection { () } else { nil } }
      try await trip.sendUserMessage("missed")
      try await trip.update(params: GroupChannelUpdateParams(name: "Journey"))
      try first.kill()
      let second = try ServerProcess(unlimited, in: first.directory)
      proxy.lead(to: second.port)
      #expect(try await events.first(\.received).message == "missed")
      let missed = try await events.first { event in
        if case .recovered(let count) = event { count } else { nil }
      }
      #expect(missed == 2)
      #expect(group.name == "Journey" && group.lastMessage?.message == "missed")
      let count = try await ofQuiet.first { event in
        if case .recovered(let count) = event { count } else { nil }
      }
      #expect(count == 0)
      #expect(try await group.messages().map(\.message) == ["before", "missed"])
      let again = try await second.client("ann")
      let back = try await again.groupChannel(url: trip.url)
      try await back.sendUserMessage("after")
      #expect(try await events.first(\.received).message == "after")
    }

    @Test("and learns after a lost connection that it is no longer a member")
    func removedMeanwhile() async throws {
      let server = try ServerProcess(unlimited)
      let proxy = try CuttingProxy(to: server.port)
      defer { proxy.stop() }
      let ben = try await connectedClient(to: proxy.url, "ben")
      let ann = try await server.client("ann")
      let trip = try await ann.createGroupChannel(params: .init(userIDs: ["ben"]))
      let group = try await ben.groupChannel(url: trip.url)
      var (events, ofBen) = (group.events.makeAsyncIterator(), ben.events.makeAsyncIterator())
      proxy.lead(to: 9)
      proxy.cutNow()
      try await ofBen.first { if case .reconnecting = $0.connection { () } else { nil } }
      try await trip.removeMembers(userIDs: ["ben"])
      proxy.lead(to: server.port)
      let loss = try await events.first { event in
        if case .eventsLost(let loss) = event { loss } else { nil }
      }
      #expect(loss == .deleted && group.myMemberState == .none)
    }

    @Test("without their events if the configuration says so")
    func withoutEvents() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let ben = try await server.client("ben") { $0.receivesGroupEvents = false }
      let trip = try await ann.createGroupChannel(
        params: GroupChannelCreateParams(name: "Trip", userIDs: ["ben"]))
      let group = try await ben.groupChannel(url: trip.url)
      var (events, ofTrip) = (ben.events.makeAsyncIterator(), trip.events.makeAsyncIterator())
      try await trip.update(params: GroupChannelUpdateParams(name: "Journey"))
      try await trip.sendUserMessage("unheard")
      try await group.sendUserMessage("heard")
      #expect(try await ofTrip.first(\.received).message == "heard")
      #expect(group.name == "Trip")
      try await group.refresh()
      #expect(group.name == "Journey")
      await ben.disconnect()
      try await events.first { event in
        if case .group = event { Issue.record("an event of a group") }
        return event.connection == .disconnected(because: .requested) ? () : nil
      }
    }

    @Test("with handlers and delegates")
    func handlers() async throws {
      let server = try ServerProcess(unlimited)
      let clients = try await Self.connect(server, "ann", "ben")
      let (ann, ben) = (clients[0], clients[1])
      let (events, event) = AsyncStream.makeStream(of: String.self)
      let delegate = Listener(event)
      ben.addGroupChannelDelegate(delegate, identifier: "test")
      let created = Answer<GroupChannel>()
      let params = GroupChannelCreateParams(name: "Trip", userIDs: ["ben"])
      ann.createGroupChannel(params: params) { created.give($0, $1) }
      let trip = try await created.value
      trip.sendUserMessage("hello") { _, _ in }
      let found = Answer<GroupChannel>()
      ben.groupChannel(url: trip.url) { found.give($0, $1) }
      #expect(try await found.value.name == "Trip")
      let done = Answer<Bool>()
      trip.update(params: GroupChannelUpdateParams(name: "Journey")) { done.give($0) }
      _ = try await done.value
      let invited = Answer<InvitationResult>()
      trip.invite([User(userID: "ben")]) { invited.give($0, $1) }
      #expect(try await invited.value.skippedUserIDs == ["ben"])
      let removed = Answer<Bool>()
      trip.removeMembers(userIDs: ["ben"]) { removed.give($0) }
      _ = try await removed.value
      let wanted = ["hello", "changed to Journey", "ended removed"]
      var heard: [String] = []
      for await text in events {
        heard.append(text)
        if heard.count == wanted.count { break }
      }
      #expect(heard == wanted)
    }
  }
}

/// Notes events of groups.
private final class Listener: GroupChannelDelegate {
  private let event: AsyncStream<String>.Continuation

  init(_ event: AsyncStream<String>.Continuation) {
    self.event = event
  }

  func channel(_ channel: GroupChannel, didReceive message: any BaseMessage) {
    event.yield(message.message)
  }

  func channelWasChanged(_ channel: GroupChannel) {
    event.yield("changed to \(channel.name)")
  }

  func channel(_ channel: GroupChannel, membershipDidEnd reason: MembershipEnd) {
    event.yield("ended \(reason)")
  }
}
