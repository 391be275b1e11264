import ParleyProtocol
import TestSupport
import Testing
import TestPeers

extension ServerTests {
  @Suite("throttles delivered messages")
  struct ThrottleTests {
    private static let senderCount = 4
    private static let messagesPerSender = 90
    private static let rule = ThrottleRule(
      limit: 5, window: Duration.milliseconds(120).patientMilliseconds)

    @Test(
      "exactly by the rule over created_at, whenever users enter, and summarizes the rest",
      arguments: [1, 3])
    func againstTheRule(reactors: Int) throws {
      let server = try ServerProcess([
        "--limits-flood-messages", "0",
        "--limits-user-flood-messages", "0", "--unfurl-mode", "off", "--reactors", "\(reactors)",
        "--limits-throttle-messages", "\(Self.rule.limit)",
        "--limits-throttle-window-ms", "\(Self.rule.window)",
      ])
      let owner = try server.open("olga")
      try owner.create("lobby")
      let operatorViewer = try ThrottledViewer(entering: "lobby", "olga", owner)
      let early = try ThrottledViewer(entering: "lobby", "early", server.open("early"))
      let traffic = TestThread.concurrentlyStarted(Self.senderCount) { index in
        try Self.send(server, index)
      }
      // Each enters when more has been shown than when the one before it did.
      var viewers = [operatorViewer, early]
      for number in 0..<3 {
        try early.client.awaitEvents(moreThan: 2 + number * 2)
        let name = "late-\(number)"
        viewers.append(try ThrottledViewer(entering: "lobby", name, server.open(name)))
      }
      let results = try traffic()
      let seqs = Dictionary(uniqueKeysWithValues: results.flatMap(\.sent).map { ($0.id, $0.seq) })
      viewers += results.map(\.viewer)
      let listed = try owner.allMessages(in: "lobby")
      #expect(listed.count == Self.senderCount * Self.messagesPerSender)
      try owner.rename("lobby", to: "the end")
      for viewer in viewers {
        let seen = listed.filter { (seqs[$0.id] ?? 0) > viewer.enteredAt }
        let relation: ThrottleRule.Viewer = viewer.userID == "olga" ? .operator : .participant
        let expected = Self.rule.split(seen, for: viewer.userID, relation)
        let others = expected.shown.filter { $0.authorID != viewer.userID }
        #expect(try viewer.received(until: "the end") == others.map(\.id), "\(viewer.userID)")
        try viewer.expectNotices(of: expected.withheld.map(\.id))
        if viewer.userID == "early" { #expect(!expected.withheld.isEmpty) }
      }
    }

    private static func send(
      _ server: ServerProcess, _ index: Int
    ) throws -> (viewer: ThrottledViewer, sent: [SentMessage]) {
      var random = SeededGenerator(seed: UInt64(index))
      let client = try server.open("sender-\(index)")
      let viewer = try ThrottledViewer(entering: "lobby", "sender-\(index)", client)
      var sent: [SentMessage] = []
      while sent.count < messagesPerSender {
        let burst = min(Int.random(in: 1...6, using: &random), messagesPerSender - sent.count)
        let ids = try (0..<burst).map { try client.requestSend("\(index).\($0)", to: "lobby") }
        for id in ids { sent.append(try SentMessage(client.reply(to: id).result.get())) }
      }
      return (viewer, sent)
    }
  }
}
