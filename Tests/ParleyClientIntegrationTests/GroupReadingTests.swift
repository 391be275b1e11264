import ParleyClient
import TestPeers
import TestSupport
import Testing

extension ClientTests {
  @Suite("counts unread messages of groups")
  struct GroupReadingTests {
    private static func wait(
      for what: String, _ groups: GroupChannel..., until isTrue: @Sendable (GroupChannel) -> Bool
    ) async throws {
      try await Deadline.standard.wait(for: what) { groups.allSatisfy(isTrue) }
    }

    @Test("and shows who is typing and who has read")
    func activity() async throws {
      let server = try ServerProcess(unlimited)
      let (ann, ben) = (try await server.client("ann"), try await server.client("ben"))
      let trip = try await ann.createGroupChannel(
        params: GroupChannelCreateParams(name: "Trip", userIDs: ["ben"]))
      let ofBen = try await ben.groupChannel(url: trip.url)
      #expect(ann.features?.groups?.maxReceiptMembers == 100)
      for _ in 0..<10 { ofBen.startTyping() }
      try await Self.wait(for: "typing", trip) { $0.getTypingUsers().map(\.userID) == ["ben"] }
      ofBen.endTyping()
      try await Self.wait(for: "the end of typing", trip) { !$0.isTyping }
      #expect(!ofBen.isTyping)
      let message = try await trip.sendUserMessage("hello")
      #expect(trip.getUnreadMemberCount(message) == 1)
      #expect(
        trip.getUnreadMembers(message: message, includeAllMembers: false).map(\.userID) == ["ben"])
      try await Self.wait(for: "the message", ofBen) { $0.unreadMessageCount == 1 }
      try await ofBen.markAsRead()
      try await Self.wait(for: "the read", trip, ofBen) { $0.getUnreadMemberCount(message) == 0 }
      #expect(
        trip.getReadMembers(message: message, includeAllMembers: false).map(\.userID) == ["ben"])
      #expect(
        trip.getReadStatus(includeAllMembers: true)
          == ["ann": message.createdAt, "ben": message.createdAt])
    }

    @Test("and marks what it receives as delivered, where the server has delivery receipts")
    func deliveries() async throws {
      let server = try ServerProcess(unlimited + ["--groups-delivery-receipts", "true"])
      let (ann, ben) = (try await server.client("ann"), try await server.client("ben"))
      #expect(ann.features?.groups?.hasDeliveryReceipts == true)
      await (try await server.client("cleo")).disconnect()
      let trip = try await ann.createGroupChannel(
        params: GroupChannelCreateParams(name: "Trip", userIDs: ["ben", "cleo"]))
      let ofBen = try await ben.groupChannel(url: trip.url)
      var events = trip.events.makeAsyncIterator()
      let message = try await trip.sendUserMessage("hello")
      try await events.first { if case .deliveryStatusChanged = $0 { () } else { nil } }
      // The other one has no client.
      #expect(trip.getUndeliveredMemberCount(message) == 1)
      #expect(trip.getUnreadMemberCount(message) == 2)
      let cleo = try await server.client("cleo")
      _ = try await cleo.groupChannel(url: trip.url)
      try await Self.wait(for: "the deliveries", trip, ofBen) {
        $0.getUndeliveredMemberCount(message) == 0
      }
      try await ofBen.markAsDelivered(messageId: message.messageID)
      await #expect(throws: ParleyError.self) { try await ofBen.markAsDelivered(messageId: 1) }
      try await trip.refresh()
      #expect(trip.getUndeliveredMemberCount(message) == 0)
    }

    @Test("alike on two devices of a user")
    func devices() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let (one, two) = (try await server.client("ben"), try await server.client("ben"))
      let trip = try await ann.createGroupChannel(
        params: GroupChannelCreateParams(name: "Trip", userIDs: ["ben"]))
      let ofOne = try await one.groupChannel(url: trip.url)
      let ofTwo = try await two.groupChannel(url: trip.url)
      var (eventsOfOne, eventsOfTwo) = (
        ofOne.events.makeAsyncIterator(), ofTwo.events.makeAsyncIterator()
      )
      var sent: [UserMessage] = []
      for text in ["one", "two", "three"] { sent.append(try await trip.sendUserMessage(text)) }
      #expect(trip.unreadMessageCount == 0 && trip.myLastRead == sent[2].createdAt)
      try await Self.wait(for: "three messages", ofOne, ofTwo) { $0.unreadMessageCount == 3 }

      try await ofOne.markAsRead(upTo: sent[1])
      #expect(ofOne.unreadMessageCount == 1 && ofOne.myLastRead == sent[1].createdAt)
      try await eventsOfTwo.first(\.unreadChange)
      #expect(ofTwo.unreadMessageCount == 1 && ofTwo.myLastRead == sent[1].createdAt)
      // A position only rises.
      try await ofTwo.markAsRead(upTo: sent[0])
      #expect(ofTwo.unreadMessageCount == 1)
      try await trip.deleteMessage(sent[2])
      try await Self.wait(for: "the deletion", ofOne, ofTwo) { $0.unreadMessageCount == 0 }

      let four = try await trip.sendUserMessage("four")
      try await Self.wait(for: "a message", ofOne, ofTwo) { $0.unreadMessageCount == 1 }
      try await ofTwo.sendUserMessage("five")
      #expect(ofTwo.unreadMessageCount == 0)
      try await Self.wait(for: "the own message", ofOne) { $0.unreadMessageCount == 0 }
      try await ofOne.markAsUnread(message: four)
      #expect(ofOne.unreadMessageCount == 1)
      try await eventsOfTwo.first(\.unreadChange)
      #expect(ofTwo.unreadMessageCount == 1)
      try await ofTwo.markAsRead()
      #expect(ofTwo.unreadMessageCount == 0)
      try await Self.wait(for: "the mark", ofOne) { $0.unreadMessageCount == 0 }

      try await ofOne.hide()
      #expect(ofOne.hiddenState == .hiddenAllowAutoUnhide)
      try await eventsOfTwo.first { if case .hidden = $0 { () } else { nil } }
      #expect(ofTwo.isHidden)
      try await trip.sendUserMessage("six")
      try await eventsOfOne.first { if case .unhidden = $0 { () } else { nil } }
      try await eventsOfTwo.first { if case .unhidden = $0 { () } else { nil } }
      #expect(!ofOne.isHidden && !ofTwo.isHidden)
      try await ofOne.hide(allowAutoUnhide: false)
      #expect(ofOne.hiddenState == .hiddenPreventAutoUnhide)
      try await ofTwo.unhide()
      try await eventsOfOne.first { if case .unhidden = $0 { () } else { nil } }
      #expect(!ofOne.isHidden)

      #expect(ofOne.unreadMessageCount == 1)
      try await ofOne.setMyCountPreference(.off)
      #expect(ofOne.unreadMessageCount == 0 && ofOne.myCountPreference == .off)
      try await ofOne.setMyCountPreference(.all)
      #expect(ofOne.unreadMessageCount == 1)
      try await ofTwo.resetMyHistory()
      #expect(ofTwo.unreadMessageCount == 0 && ofTwo.lastMessage == nil)
      #expect(try await ofTwo.messages().isEmpty)
      try await Self.wait(for: "the reset", ofOne) {
        $0.unreadMessageCount == 0 && $0.messageOffsetTimestamp == ofTwo.messageOffsetTimestamp
      }
      // The message precedes the history, so it does not count, and neither does its deletion.
      try await trip.sendUserMessage("seven")
      try await Self.wait(for: "a message", ofOne, ofTwo) { $0.unreadMessageCount == 1 }
      try await trip.deleteMessage(four)
      try await eventsOfOne.first { if case .messageDeleted = $0 { () } else { nil } }
      try await Self.wait(for: "the right number", ofOne, ofTwo) { $0.unreadMessageCount == 1 }
      try await ofOne.refresh()
      #expect(ofOne.unreadMessageCount == 1)
    }

    @Test("exactly, while messages, deletions and marks cross")
    func crossing() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let (one, two) = (try await server.client("ben"), try await server.client("ben"))
      let trip = try await ann.createGroupChannel(params: .init(userIDs: ["ben"]))
      let ofOne = try await one.groupChannel(url: trip.url)
      let ofTwo = try await two.groupChannel(url: trip.url)
      let last = try await withThrowingTaskGroup(of: Int64.self) { tasks in
        tasks.addTask {
          var last: Int64 = 0
          for number in 1...200 {
            let message = try await trip.sendUserMessage("\(number)")
            if number % 7 == 0 { try await trip.deleteMessage(message) }
            last = message.ordinal
          }
          return last
        }
        for (index, group) in [ofOne, ofTwo].enumerated() {
          tasks.addTask {
            var events = group.events.makeAsyncIterator()
            var last: Int64 = 0
            for number in 1...20 {
              let message = try await events.first(\.received)
              switch (number + index) % 4 {
              case 0: last = try await group.sendUserMessage("own").ordinal
              case 1: try await group.markAsRead(upTo: message)
              default: try await group.markAsRead()
              }
            }
            return last
          }
        }
        return try await tasks.reduce(0) { max($0, $1) }
      }
      // The client that reads the group last has the server's numbers.
      let third = try await server.client("ben")
      let truth = try await third.groupChannel(url: trip.url)
      #expect(truth.lastMessage != nil && last >= 200)
      try await Self.wait(for: "the server's number", ofOne, ofTwo) {
        $0.unreadMessageCount == truth.unreadMessageCount && $0.myLastRead == truth.myLastRead
      }
    }

    @Test("over all groups, and marks them as read")
    func totals() async throws {
      let server = try ServerProcess(unlimited)
      let (ann, ben) = (try await server.client("ann"), try await server.client("ben"))
      var groups: [GroupChannel] = []
      for name in ["a", "b", "c"] {
        let params = GroupChannelCreateParams(name: name, userIDs: ["ben"])
        params.customType = name
        let group = try await ann.createGroupChannel(params: params)
        try await group.sendUserMessage("one")
        try await group.sendUserMessage("two")
        groups.append(try await ben.groupChannel(url: group.url))
      }
      try await Self.wait(for: "the messages", groups[0], groups[1], groups[2]) {
        $0.unreadMessageCount == 2
      }
      let all = try await ben.unreadTotals()
      #expect(all.unreadMessageCount == 6 && all.unreadChannelCount == 3)
      #expect(all.invitationCount == 0)
      #expect(try await ben.unreadTotals(customTypes: ["a"]).unreadMessageCount == 2)
      try await ben.markGroupsAsRead(channelURLs: [groups[0].url])
      #expect(try await ben.unreadTotals().unreadChannelCount == 2)
      let done = Answer<Bool>()
      ben.markAllGroupsAsRead { done.give($0) }
      _ = try await done.value
      let totals = Answer<UnreadTotals>()
      ben.unreadTotals { totals.give($0, $1) }
      #expect(try await totals.value.unreadMessageCount == 0)
      try await Self.wait(for: "the marks", groups[0], groups[1], groups[2]) {
        $0.unreadMessageCount == 0
      }
    }

    @Test("in lists, which hold over a restart of the server")
    func lists() async throws {
      let first = try ServerProcess(unlimited)
      let proxy = try CuttingProxy(to: first.port)
      defer { proxy.stop() }
      let ann = try await first.client("ann")
      let ben = try await connectedClient(to: proxy.url, "ben")
      for name in ["Oslo", "Rome", "Bern"] {
        let params = GroupChannelCreateParams(name: name, userIDs: ["ben"])
        params.isPublic = name == "Rome"
        try await ann.createGroupChannel(params: params).sendUserMessage("in \(name)")
      }
      let rome = try await ben.createMyGroupChannelListQuery {
        $0.channelNameContainsFilter = "rome"
      }.loadNextPage()[0]
      try await rome.hide(allowAutoUnhide: false)
      let query = ben.createMyGroupChannelListQuery {
        $0.limit = 2
        $0.channelHiddenStateFilter = .all
      }
      let page = try await query.loadNextPage()
      #expect(page.map(\.name) == ["Bern", "Rome"] && query.hasNext && page[1] === rome)
      #expect(page.map(\.members.count) == [2, 2] && page.map(\.unreadMessageCount) == [1, 1])
      let rest = try await query.loadNextPage()
      #expect(rest.map(\.name) == ["Oslo"] && !query.hasNext)
      #expect(try await query.loadNextPage().isEmpty)

      // Nobody listens on the discard port of loopback.
      proxy.lead(to: 9)
      proxy.cutNow()
      try first.kill()
      let second = try ServerProcess(unlimited, in: first.directory)
      var events = rest[0].events.makeAsyncIterator()
      proxy.lead(to: second.port)
      _ = try await events.first { if case .recovered(let count) = $0 { count } else { nil } }
      let again = try await ben.createMyGroupChannelListQuery().loadNextPage()
      #expect(again == [page[0], rest[0]] && rome.isHidden)
      let annAgain = try await second.client("ann")
      let bern = try await annAgain.groupChannel(url: page[0].url)
      try await bern.sendUserMessage("again")
      try await Self.wait(for: "the message", page[0]) { $0.unreadMessageCount == 2 }
      try await page[0].markAsRead()
      let unread = ben.createMyGroupChannelListQuery { $0.unreadChannelFilter = .unreadMessage }
      #expect(try await unread.loadNextPage() == [rest[0]])
      let hidden = ben.createMyGroupChannelListQuery { $0.channelHiddenStateFilter = .hiddenOnly }
      #expect(try await hidden.loadNextPage() == [rome])

      let eve = try await second.client("eve")
      let found = Answer<[GroupChannel]>()
      eve.createPublicGroupChannelListQuery().loadNextPage { found.give($0, $1) }
      let open = try await found.value
      #expect(open.map(\.name) == ["Rome"] && open[0].myMemberState == .none)
      try await open[0].join()
      #expect(open[0].memberCount == 3 && open[0].unreadMessageCount == 0)
    }
  }
}

extension GroupChannelEvent {
  /// Matches a change of the unread count by the user elsewhere.
  fileprivate var unreadChange: Void? {
    if case .unreadMessageCountChanged = self { () } else { nil }
  }
}
