import ParleyClient
import TestPeers
import Testing

extension ClientTests {
  @Suite("handles limits")
  struct LimitTests {
    @Test("on sending, as an error with the time to wait before the next attempt")
    func flood() async throws {
      let server = try ServerProcess([
        "--limits-flood-messages", "2", "--limits-flood-window-ms", "600000", "--unfurl-mode",
        "off",
      ])
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      try await lobby.sendUserMessage("1")
      try await lobby.sendUserMessage("2")
      let error = await #expect(throws: ParleyError.self) { try await lobby.sendUserMessage("3") }
      guard case .tooManyMessages(let wait) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(wait > .zero && wait <= .seconds(600))
      #expect(error?.code == 900_200)
      #expect(try await lobby.allMessages().map(\.message) == ["1", "2"])
    }

    @Test("on displayed messages, as a notice of the withheld messages, which can be fetched")
    func throttling() async throws {
      let server = try ServerProcess([
        "--limits-flood-messages", "0",
        "--limits-user-flood-messages", "0", "--limits-throttle-messages", "2",
        "--limits-throttle-window-ms", "600000", "--unfurl-mode", "off",
      ])
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      let kim = try await server.client("kim")
      let seen = try await kim.enterChannel()
      var events = seen.events.makeAsyncIterator()
      var sent: [UserMessage] = []
      for number in 0..<5 { sent.append(try await lobby.sendUserMessage("\(number)")) }
      #expect(try await events.first(\.received).messageID == sent[0].messageID)
      #expect(try await events.first(\.received).messageID == sent[1].messageID)
      // The notices come as time goes by; together they name all that was withheld.
      var withheld = 0
      while withheld < 3 {
        let notice = try await events.first { event in
          if case .messagesThrottled(let messages) = event { messages } else { nil }
        }
        #expect(notice.firstMessageID == sent[2 + withheld].messageID)
        withheld += notice.count
        #expect(notice.lastMessageID == sent[1 + withheld].messageID)
      }
      #expect(withheld == 3)
      #expect(try await seen.allMessages().map(\.messageID) == sent.map(\.messageID))
    }

    @Test("on slow consumers, as a count of dropped events")
    func slowConsumer() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      let kim = try await server.client("kim") { $0.maximumBufferedEvents = 5 }
      let seen = try await kim.enterChannel()
      let slow = seen.events
      for number in 0..<20 { try await lobby.sendUserMessage("\(number)") }
      // A consumer that begins to look only once all has come.
      let params = MessageListParams()
      params.previousResultSize = 1
      _ = try await seen.messages(params: params)
      var events = slow.makeAsyncIterator()
      var dropped = 0
      var received: [String] = []
      while received.last != "19" {
        switch await events.next() {
        case .dropped(let count): dropped += count
        case .messageReceived(let message): received.append(message.message)
        default: break
        }
      }
      #expect(dropped >= 15)
      #expect(dropped + received.count >= 20)
      #expect(received == (20 - received.count..<20).map { "\($0)" })
    }

    @Test("set by operators, as distinct errors, and as events for the other users")
    func moderation() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      let kim = try await server.client("kim")
      let seen = try await kim.enterChannel()
      await #expect(throws: ParleyError.self) { try await seen.freeze() }

      try await lobby.freeze()
      #expect(lobby.isFrozen)
      await #expect(throws: ParleyError.frozen) { try await seen.sendUserMessage("no") }
      try await lobby.unfreeze()
      try await lobby.muteUser(userID: "kim", seconds: 600, description: "loud")
      await #expect(throws: ParleyError.muted) { try await seen.sendUserMessage("no") }
      try await lobby.unmuteUser(userID: "kim")
      try await seen.sendUserMessage("yes")

      var events = seen.events.makeAsyncIterator()
      try await lobby.banUser(userID: "kim", seconds: 600, description: "louder")
      let (user, details) = try await events.first { event in
        if case .userBanned(let user, let details) = event { (user, details) } else { nil }
      }
      #expect(user.userID == "kim")
      #expect(details.seconds == 600)
      #expect(details.description == "louder")
      #expect(!seen.isEntered)
      await #expect(throws: ParleyError.banned) { try await seen.enter() }
      await #expect(throws: ParleyError.banned) { try await seen.sendUserMessage("no") }
      try await lobby.unbanUser(userID: "kim")
      await #expect(throws: ParleyError.notInChannel) { try await seen.sendUserMessage("no") }
      try await seen.enter()
    }

    @Test("with hundreds of clients on one thread, each of which receives all events in order")
    func manyClients() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      let viewers = try await withThrowingTaskGroup(of: (ParleyClient, OpenChannel).self) { group in
        for number in 0..<200 {
          group.addTask {
            let viewer = try await server.client("viewer-\(number)")
            return (viewer, try await viewer.enterChannel())
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let streams = viewers.map(\.1.events)
      let texts = (0..<20).map { "\($0)" }
      for text in texts { try await lobby.sendUserMessage(text) }
      for stream in streams {
        var events = stream.makeAsyncIterator()
        for text in texts { #expect(try await events.first(\.received).message == text) }
      }
    }
  }
}
