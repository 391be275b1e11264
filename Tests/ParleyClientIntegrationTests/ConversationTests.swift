import ParleyClient
import TestPeers
import Testing

extension ClientTests {
  @Suite("takes part in a conversation")
  struct ConversationTests {
    @Test("sends, receives, updates and deletes")
    func messages() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      let kim = try await server.client("kim")
      let seen = try await kim.enterChannel()
      var events = seen.events.makeAsyncIterator()

      let params = UserMessageCreateParams(message: "hi")
      params.customType = "greeting"
      params.data = "{}"
      params.metaArrays = [MessageMetaArray(key: "votes")]
      let sent = try await lobby.sendUserMessage(params: params)
      #expect(sent.sender?.userID == "ann")
      let received = try await events.first(\.received)
      #expect(received.messageID == sent.messageID)
      #expect(received.message == "hi")
      #expect(received.customType == "greeting")
      #expect(received.data == "{}")
      #expect(received.createdAt == sent.createdAt)

      let changed = try await lobby.updateUserMessage(
        messageID: sent.messageID, params: .init(message: "hello"))
      #expect(changed.updatedAt >= sent.createdAt)
      #expect(try await events.first(\.updated).message == "hello")

      let votes = [MessageMetaArray(key: "votes", value: ["kim"])]
      let counted = try await seen.addMessageMetaArrayValues(message: received, metaArrays: votes)
      #expect(counted.metaArrays == votes)
      #expect(try await seen.getMessage(messageID: sent.messageID).metaArrays == votes)
      try await seen.removeMessageMetaArrayValues(message: received, metaArrays: votes)
      await #expect(throws: ParleyError.self) {
        try await seen.createMessageMetaArrayKeys(message: received, keys: ["more"])
      }
      try await lobby.createMessageMetaArrayKeys(message: sent, keys: ["more"])
      let last = try await lobby.deleteMessageMetaArrayKeys(message: sent, keys: ["votes"])
      #expect(last.metaArrays == [MessageMetaArray(key: "more")])

      try await lobby.deleteMessage(sent)
      let deleted = try await events.first { event in
        if case .messageDeleted(let id) = event { id } else { nil }
      }
      #expect(deleted == sent.messageID)
      await #expect(throws: ParleyError.self) {
        try await seen.getMessage(messageID: sent.messageID)
      }
      await ann.disconnect()
      #expect(ann.connectionState == .disconnected(because: .requested))
      await #expect(throws: ParleyError.notConnected) { try await lobby.sendUserMessage("late") }
    }

    @Test("sends a file by its address, which other clients receive")
    func files() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      let kim = try await server.client("kim")
      let seen = try await kim.enterChannel()
      var events = seen.events.makeAsyncIterator()

      let params = FileMessageCreateParams(fileURL: "https://files.example/plan.pdf")
      params.fileName = "plan.pdf"
      params.mimeType = "application/pdf"
      params.fileSize = 7
      params.customType = "plan"
      let sent = try await lobby.sendFileMessage(params: params)
      #expect(sent.url == "https://files.example/plan.pdf")
      #expect(sent.sendingStatus == .succeeded)
      let received = try #require(try await events.first(\.received) as? FileMessage)
      #expect(received == sent)
      #expect(received.name == "plan.pdf")
      #expect(received.type == "application/pdf")
      #expect(received.size == 7)
      #expect(received.customType == "plan")
      #expect(received.message == "")
      params.fileURL = "ftp://files.example/plan.pdf"
      await #expect(throws: ParleyError.self) { try await lobby.sendFileMessage(params: params) }

      let (answers, answer) = AsyncStream.makeStream(of: Result<FileMessage, ParleyError>.self)
      params.fileURL = "https://files.example/next.pdf"
      let pending = lobby.sendFileMessage(params: params) { answer.yield($0) }
      #expect(pending.sendingStatus == .pending)
      #expect(pending.url == params.fileURL)
      var results = answers.makeAsyncIterator()
      let stored = try #require(await results.next()).get()
      #expect(stored.requestID == pending.requestID)
      await kim.disconnect()
    }

    @Test("shows a message at once and reports the outcome of the send later, with a closure")
    func completion() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      var pending: [UserMessage] = []
      let sent = try await withThrowingTaskGroup(of: UserMessage.self) { group in
        for number in 0..<50 {
          let (results, result) = AsyncStream.makeStream(of: Result<UserMessage, ParleyError>.self)
          let params = UserMessageCreateParams(message: "\(number)")
          pending.append(
            lobby.sendUserMessage(params: params) {
              result.yield($0)
              result.finish()
            })
          group.addTask {
            for await outcome in results { return try outcome.get() }
            throw TestFailure("no completion")
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(pending.allSatisfy { $0.sendingStatus == .pending && $0.sender?.userID == "ann" })
      let stored = try await lobby.allMessages()
      #expect(stored.map(\.message) == (0..<50).map { "\($0)" })
      #expect(stored.map(\.requestID) == pending.map(\.requestID))
      #expect(Set(sent.map(\.messageID)) == Set(stored.map(\.messageID)))
    }

    @Test("finds channels and their participants, page by page")
    func queries() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      for number in 0..<5 {
        let params = OpenChannelCreateParams(name: "Room \(number)", channelURL: "room-\(number)")
        _ = try await ann.createOpenChannel(params: params)
      }
      let params = OpenChannelListQueryParams()
      params.channelNameFilter = "room"
      params.limit = 2
      let query = ann.createOpenChannelListQuery(params: params)
      var pages: [[String]] = []
      while query.hasNext { pages.append(try await query.loadNextPage().map(\.url)) }
      #expect(pages == [["room-4", "room-3"], ["room-2", "room-1"], ["room-0"]])

      let room = try await ann.enterChannel("room-0")
      let kim = try await server.client("kim")
      _ = try await kim.enterChannel("room-0")
      #expect(room.channelURL == room.url)
      let participants = room.createParticipantListQuery(limit: 1)
      var found: [Participant] = []
      while participants.hasNext { found += try await participants.loadNextPage() }
      #expect(found.map(\.userID) == ["ann", "kim"])
      #expect(found.map(\.isOperator) == [true, false])
    }

    @Test("changes its user, and changes a channel for all participants")
    func changes() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      let user = try await ann.updateCurrentUser(
        params: UserUpdateParams(nickname: "Ann", metadata: ["team": "red"]))
      #expect(user.nickname == "Ann")
      #expect(ann.currentUser?.metadata == ["team": "red"])

      let kim = try await server.client("kim")
      let seen = try await kim.enterChannel()
      var events = seen.events.makeAsyncIterator()
      try await lobby.update(params: OpenChannelUpdateParams(name: "Hall"))
      #expect(lobby.name == "Hall")
      try await events.first { if case .changed = $0 { () } else { nil } }
      #expect(seen.name == "Hall")
      try await lobby.addOperators(userIDs: ["kim"])
      try await events.first { if case .operatorsChanged = $0 { () } else { nil } }
      #expect(seen.isOperator(userID: "kim"))
      try await lobby.delete()
      try await events.first { if case .deleted = $0 { () } else { nil } }
      #expect(!seen.isEntered)
    }

    @Test("cancels a call whose task is cancelled")
    func cancellation() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      let task = Task { try await lobby.refresh() }
      task.cancel()
      // The answer may have been quicker.
      if case .failure(let error) = await task.result {
        #expect(error as? ParleyError == .cancelled)
      }
      #expect(try await lobby.sendUserMessage("still here").message == "still here")
    }

    @Test("may disconnect and connect again as another user")
    func again() async throws {
      let server = try ServerProcess(unlimited)
      let client = try await server.client("ann")
      let lobby = try await client.enterNewChannel()
      let error = await #expect(throws: ParleyError.self) {
        try await client.connect(userID: "kim")
      }
      guard case .invalidConfiguration = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(try await lobby.sendUserMessage("not disturbed by that").message != "")
      await client.disconnect()
      await client.disconnect()
      #expect(!lobby.isEntered)
      try await client.connect(userID: "kim")
      #expect(client.currentUser?.userID == "kim")
      await #expect(throws: ParleyError.notInChannel) { try await lobby.sendUserMessage("hi") }
      try await lobby.enter()
      #expect(try await lobby.sendUserMessage("hi").sender?.userID == "kim")
    }

    @Test("stops connecting when the task is cancelled")
    func cancelledConnection() async throws {
      // Nobody listens on the discard port of loopback.
      let proxy = try CuttingProxy(to: 9)
      defer { proxy.stop() }
      let configuration = ParleyClientConfiguration(serverURL: proxy.url)
      let client = ParleyClient(configuration: configuration)
      await client.disconnect()
      let task = Task { try await client.connect(userID: "ann") }
      task.cancel()
      await #expect(throws: ParleyError.cancelled) { try await task.value }
      #expect(client.connectionState == .disconnected(because: .requested))
    }

    @Test("ends its session when the last reference to it is released")
    func letGo() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      var events = lobby.events.makeAsyncIterator()
      var kim: ParleyClient? = try await server.client("kim")
      _ = try await kim?.enterChannel()
      kim = nil
      let left = try await events.first { event in
        if case .userExited(let user) = event { user.userID } else { nil }
      }
      #expect(left == "kim")
      #expect(lobby.participantCount == 1)
    }
  }
}
