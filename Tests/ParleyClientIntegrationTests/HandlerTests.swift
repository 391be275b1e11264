import ParleyClient
import TestPeers
import Testing

/// Each call is written as the documents of chat SDKs write it: parameters that are assigned one by
/// one, and a closure that gets a value and an error.
extension ClientTests {
  @Suite("offers the API shape of chat SDKs")
  struct HandlerTests {
    @Test("a session, a channel and its queries")
    func channels() async throws {
      let server = try ServerProcess(unlimited)
      let client = ParleyClient(configuration: .init(serverURL: server.url))
      let user = Answer<User>()
      client.connect(userID: "ann") { person, error in user.give(person, error) }
      #expect(try await user.value.userID == "ann")

      let params = OpenChannelCreateParams()
      params.name = "Lobby"
      params.channelURL = "lobby"
      let created = Answer<OpenChannel>()
      client.createOpenChannel(params: params) { channel, error in created.give(channel, error) }
      #expect(try await created.value.name == "Lobby")
      let found = Answer<OpenChannel>()
      client.openChannel(url: "lobby") { channel, error in found.give(channel, error) }
      let lobby = try await found.value
      let missing = Answer<OpenChannel>()
      client.openChannel(url: "nowhere") { channel, error in missing.give(channel, error) }
      let refusal = try await missing.pair
      #expect(refusal.value == nil && refusal.error != nil)

      let entered = Answer<Bool>()
      lobby.enter { error in entered.give(error) }
      #expect(try await entered.value && lobby.isEntered)
      let changes = OpenChannelUpdateParams()
      changes.name = "Hall"
      let changed = Answer<Bool>()
      lobby.update(params: changes) { error in changed.give(error) }
      #expect(try await changed.value && lobby.name == "Hall")
      let participants = Answer<[Participant]>()
      lobby.createParticipantListQuery().loadNextPage { people, error in
        participants.give(people, error)
      }
      #expect(try await participants.value.map(\.id) == ["ann"])

      let frozen = Answer<Bool>()
      lobby.freeze { error in frozen.give(error) }
      #expect(try await frozen.value)
      let query = client.createOpenChannelListQuery { params in
        params.channelNameFilter = "hall"
        params.includeFrozen = false
        params.limit = 15
      }
      let thawed = Answer<[OpenChannel]>()
      query.loadNextPage { channels, error in thawed.give(channels, error) }
      #expect(try await thawed.value.isEmpty)
      let all = Answer<[OpenChannel]>()
      client.createOpenChannelListQuery { $0.channelNameFilter = "hall" }
        .loadNextPage { channels, error in all.give(channels, error) }
      #expect(try await all.value == [lobby])

      let left = Answer<Bool>()
      lobby.exit { error in left.give(error) }
      #expect(try await left.value && !lobby.isEntered)
      let ended = Answer<Bool>()
      client.disconnect { ended.give(nil) }
      #expect(try await ended.value)
      #expect(client.connectionState == .disconnected(because: .requested))
    }

    @Test("messages, from sending to deletion")
    func messages() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      let annex = try await ann.enterNewChannel("annex")

      let params = UserMessageCreateParams(message: "hi")
      params.customType = "greeting"
      params.data = "{}"
      params.mentionType = .users
      params.mentionedUserIDs = ["ann"]
      params.metaArrays = [MessageMetaArray(key: "votes", value: ["ann"])]
      params.pushNotificationDeliveryOption = .default
      let sent = Answer<UserMessage>()
      let pending = lobby.sendUserMessage(params: params) { message, error in
        sent.give(message, error)
      }
      // The call has taken the values of its moment.
      params.customType = "later"
      let message = try await sent.value
      #expect(message.requestID == pending.requestID && message.customType == "greeting")
      #expect(message.metaArrays(keys: ["votes"]).first?.value == ["ann"])
      #expect(message.metaArrays(keys: ["games"]).isEmpty)

      let changes = UserMessageUpdateParams()
      changes.message = "hello"
      let updated = Answer<UserMessage>()
      lobby.updateUserMessage(messageID: message.messageID, params: changes) { message, error in
        updated.give(message, error)
      }
      let edited = try await updated.value
      #expect(edited.message == "hello")
      let copied = Answer<UserMessage>()
      lobby.copyUserMessage(edited, toTargetChannel: annex) { message, error in
        copied.give(message, error)
      }
      let copy = try await copied.value
      #expect(copy.channelURL == "annex" && copy.message == "hello" && copy.data == "{}")
      #expect(copy.metaArrays == message.metaArrays && copy.messageID != message.messageID)

      let counted = Answer<any BaseMessage>()
      let votes = [MessageMetaArray(key: "votes", value: ["kim"])]
      lobby.addMessageMetaArrayValues(message: message, metaArrays: votes) { message, error in
        counted.give(message, error)
      }
      #expect(try await counted.value.metaArrays.first?.value == ["ann", "kim"])
      let translated = Answer<UserMessage>()
      lobby.translateUserMessage(message, targetLanguages: ["es"]) { message, error in
        translated.give(message, error)
      }
      #expect(try await translated.pair.error != nil, "this server has no translations")

      let deleted = Answer<Bool>()
      lobby.deleteMessage(message) { error in deleted.give(error) }
      #expect(try await deleted.value)
      let rest = Answer<[any BaseMessage]>()
      lobby.messages { messages, error in rest.give(messages, error) }
      #expect(try await rest.value.isEmpty)
    }

    @Test("a message whose send failed is sent again, and stored once")
    func resending() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      defer { withExtendedLifetime(ann) {} }
      let lobby = try await ann.enterNewChannel()
      let kim = try await server.client("kim")
      defer { withExtendedLifetime(kim) {} }
      let seen = try await kim.enterChannel()
      try await lobby.freeze()
      let params = UserMessageCreateParams(message: "anyone?")
      params.data = "d"
      let refused = Answer<UserMessage>()
      seen.sendUserMessage(params: params) { message, error in refused.give(message, error) }
      let (failed, error) = try await refused.pair
      let message = try #require(failed)
      #expect(error == .frozen && message.sendingStatus == .failed)
      try await lobby.unfreeze()
      let sent = Answer<UserMessage>()
      let pending = seen.resendUserMessage(message) { message, error in sent.give(message, error) }
      #expect(pending.sendingStatus == .pending)
      let stored = try await sent.value
      #expect(stored.requestID == message.requestID && stored.data == "d")
      #expect(try await seen.resendUserMessage(message).messageID == stored.messageID)
      let again = Answer<UserMessage>()
      seen.resendUserMessage(stored) { message, error in again.give(message, error) }
      let (same, reason) = try await again.pair
      #expect(same == stored && reason != nil)
      #expect(try await lobby.allMessages().count == 1)
    }

    @Test("files, one or several at once")
    func files() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      defer { withExtendedLifetime(ann) {} }
      let lobby = try await ann.enterNewChannel()
      let params = FileMessageCreateParams(fileURL: "https://files.example/plan.pdf")
      params.fileName = "plan.pdf"
      params.customType = "plan"
      let sent = Answer<FileMessage>()
      let pending = lobby.sendFileMessage(params: params) { message, error in
        sent.give(message, error)
      }
      let stored = try await sent.value
      #expect(stored.requestID == pending.requestID && stored.customType == "plan")

      params.fileURL = "ftp://files.example/plan.pdf"
      let refused = Answer<FileMessage>()
      lobby.sendFileMessage(params: params) { message, error in refused.give(message, error) }
      let (failed, error) = try await refused.pair
      #expect(failed?.sendingStatus == .failed && error != nil)

      let files = (0..<3).map { FileMessageCreateParams(file: .bytes([UInt8($0)])) }
      let ended = Answer<Bool>()
      lobby.sendFileMessages(
        params: files, progressHandler: { _ in },
        sentMessageHandler: { message, error in
          #expect(message?.sendingStatus == .succeeded && error == nil)
        }, completionHandler: { error in ended.give(error) })
      #expect(try await ended.value)
      #expect(try await lobby.allMessages().count == 4)

      let upload = Answer<BackgroundUpload>()
      let later = FileMessageCreateParams(file: .bytes([1, 2, 3]))
      lobby.createBackgroundUpload(params: later) { created, error in upload.give(created, error) }
      #expect(try await upload.value.size == 3)
    }

    @Test("the preview of a page, and the reason why there is none")
    func metadata() async throws {
      let pages = try PageServer(page: PreviewTests.page)
      defer { pages.stop() }
      let server = try ServerProcess(PreviewTests.settings)
      let ann = try await server.client("ann")
      let provider = ann.metadataProvider()
      let (fetches, fetched) = AsyncStream<String>.makeStream()
      for _ in 0..<2 {
        provider.startFetchingMetadata(for: pages.url("/a")) { metadata, error in
          guard let metadata, error == nil else {
            switch error {
            case .cancelled?: fetched.yield("cancelled")
            case .failed?: fetched.yield("failed")
            case .timedOut?: fetched.yield("timed out")
            case .alreadyStarted?: fetched.yield("already started")
            case .unknown?, .refused?, nil: fetched.yield("unknown")
            }
            return
          }
          fetched.yield(metadata.ogMetaData?.title ?? "")
        }
      }
      var outcomes: Set<String> = []
      for await outcome in fetches {
        outcomes.insert(outcome)
        if outcomes.count == 2 { break }
      }
      #expect(outcomes == ["A page", "already started"])
      withExtendedLifetime(ann) {}
    }

    @Test("moderation")
    func moderation() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      defer { withExtendedLifetime(ann) {} }
      let lobby = try await ann.enterNewChannel()
      let kim = try await server.client("kim")
      let seen = try await kim.enterChannel()
      let muted = Answer<Bool>()
      lobby.muteUser(userID: "kim", seconds: 60, description: "loud") { error in muted.give(error) }
      #expect(try await muted.value)
      await #expect(throws: ParleyError.self) { try await seen.sendUserMessage("x") }
      let unmuted = Answer<Bool>()
      lobby.unmuteUser(userID: "kim") { error in unmuted.give(error) }
      #expect(try await unmuted.value)
      let banned = Answer<Bool>()
      lobby.banUser(userID: "kim", seconds: 60) { error in banned.give(error) }
      #expect(try await banned.value)
      await #expect(throws: ParleyError.self) { try await seen.enter() }
      let unbanned = Answer<Bool>()
      lobby.unbanUser(userID: "kim") { error in unbanned.give(error) }
      #expect(try await unbanned.value)
      let promoted = Answer<Bool>()
      lobby.addOperators(userIDs: ["kim"]) { error in promoted.give(error) }
      #expect(try await promoted.value && lobby.isOperator(userID: "kim"))
      let demoted = Answer<Bool>()
      lobby.removeOperators(userIDs: ["kim"]) { error in demoted.give(error) }
      #expect(try await demoted.value && !lobby.isOperator(userID: "kim"))
      let refused = Answer<Bool>()
      seen.freeze { error in refused.give(error) }
      #expect(try await refused.pair.error != nil)
    }
  }
}
