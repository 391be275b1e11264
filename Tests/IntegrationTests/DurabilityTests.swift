import Foundation
import ParleyProtocol
import TestSupport
import Testing
import TestPeers

extension ServerTests {
  @Suite("that is killed")
  struct DurabilityTests {
    private static let flags = unlimitedSending + ["--reactors", "2"]

    /// Where a channel's events stood.
    private struct Position {
      let epoch: String
      let seq: Int64

      init(_ answer: JSONNode) throws {
        epoch = try #require(answer["epoch"]?.string)
        seq = try #require(answer["seq"]?.integer)
      }
    }

    @Test(
      "keeps every acknowledged message, complete and in order",
      arguments: [1, 2, 3] as [UInt64])
    func messages(seed: UInt64) throws {
      var random = SeededGenerator(seed: seed)
      let traffic = KilledTraffic(
        seed: seed, acknowledgements: Int.random(in: 50...1_200, using: &random))
      let first = try ServerProcess(Self.flags)
      let olga = try first.open("olga")
      let positions = try KilledTraffic.channels.map { url in
        try olga.create(url)
        return (url, try Position(olga.enter(url)))
      }
      let attempts = try traffic.run(on: first)

      let second = try ServerProcess(Self.flags, in: first.directory)
      let client = try second.open("olga")
      for (url, position) in positions {
        let own = attempts.filter { $0.url == url }
        try Self.expectAcknowledged(own, in: url, since: position, client, "seed \(seed)")
      }
      try Self.expectRepetition(of: attempts, on: second, "seed \(seed)")
    }

    private static func expectAcknowledged(
      _ attempts: [KilledTraffic.Attempt], in url: String, since before: Position,
      _ client: WireClient, _ seed: Comment
    ) throws {
      let after = try Position(client.enter(url))
      #expect(after.epoch == before.epoch, seed)
      let listed = try client.allMessages(in: url)
      // Nothing but messages was counted, so each one's place in the list tells its seq.
      #expect(after.seq == before.seq + Int64(listed.count), seed)
      for answer in attempts.compactMap(\.answer) {
        let place = Int(answer.seq - before.seq) - 1
        #expect(listed.indices.contains(place) && listed[place] == answer.message, seed)
      }
      #expect(listed.map(\.createdAt) == listed.map(\.createdAt).sorted(), seed)
      #expect(listed.map(\.id) == listed.map(\.id).sorted(), seed)
      let sent = Set(attempts.map { [$0.sender, $0.requestID, $0.text] })
      #expect(
        listed.allSatisfy { sent.contains([$0.authorID ?? "", $0.requestID, $0.text]) }, seed)
    }

    /// Sends everything that was in flight, and some of the rest, once more.
    private static func expectRepetition(
      of attempts: [KilledTraffic.Attempt], on server: ServerProcess, _ seed: Comment
    ) throws {
      for (sender, own) in Dictionary(grouping: attempts, by: \.sender) {
        let client = try server.open(sender)
        for url in KilledTraffic.channels { try client.enter(url) }
        let unanswered = own.filter { $0.answer == nil }
        for attempt in unanswered + own.filter({ $0.answer != nil }).suffix(30) {
          let again = try client.send(attempt.text, to: attempt.url, requestID: attempt.requestID)
          if let first = attempt.answer { #expect(again == first, seed) }
        }
      }
      let client = try server.open("olga")
      for url in KilledTraffic.channels {
        let ids = try client.allMessages(in: url).map(\.requestID)
        let expected = attempts.filter { $0.url == url }.map(\.requestID)
        #expect(ids.sorted() == expected.sorted(), seed)
      }
    }

    @Test("keeps users, operators, moderation, frozen channels and metaarrays")
    func everythingElse() throws {
      let first = try ServerProcess(Self.flags)
      let olga = try first.open("olga")
      let otto = try first.open("otto")
      try olga.call("user.update") {
        $0.member("nickname", "Olga")
        $0.member("metadata", ["mood": "calm"])
      }
      try olga.create("garden")
      try olga.create("cellar")
      for url in ["garden", "cellar"] {
        try olga.enter(url)
        try otto.enter(url)
      }
      try olga.call("channel.add_operators") {
        $0.member("channel_url", "garden")
        $0.member("user_ids", ["otto"])
      }
      for (method, user) in [("channel.mute", "mallory"), ("channel.ban", "bob")] {
        _ = try first.open(user)
        try olga.call(method) {
          $0.member("channel_url", "garden")
          $0.member("user_id", user)
        }
      }
      try olga.call("channel.freeze") { $0.member("channel_url", "cellar") }
      let poll = try olga.send("who plays?", to: "garden")
      try otto.call("message.add_metaarray_values") {
        $0.member("channel_url", "garden")
        $0.member("message_id", poll.id)
        $0.member("values", object: { $0.member("games", ["soccer"]) })
      }
      try first.kill()

      let second = try ServerProcess(Self.flags, in: first.directory)
      let user = try second.connect().call("session.open") { $0.member("user_id", "olga") }["user"]
      #expect(user?["nickname"]?.string == "Olga")
      #expect(user?["metadata"]?["mood"]?.string == "calm")
      let mallory = try second.open("mallory")
      let channel = try mallory.enter("garden")["channel"]
      let operators = channel?["operators"]?.elements.compactMap { $0["user_id"]?.string }
      #expect(operators.map(Set.init) == ["olga", "otto"])
      #expect(try mallory.sendRefusal("hello", to: "garden").code == .muted)
      let bob = try second.open("bob")
      #expect(
        try bob.refusal("channel.enter") { $0.member("channel_url", "garden") }.code == .banned)
      #expect(try mallory.enter("cellar")["channel"]?["freeze"]?.bool == true)
      #expect(try mallory.sendRefusal("hello", to: "cellar").code == .frozen)
      let message = try mallory.call("message.get") {
        $0.member("channel_url", "garden")
        $0.member("message_id", poll.id)
      }["message"]
      let games = message?["sorted_metaarray"]?.elements.first { $0["key"]?.string == "games" }
      #expect(games?["value"]?.elements.compactMap(\.string) == ["soccer"])
    }
  }
}

extension WireClient {
  /// Sends a message and waits for the error that it is answered with.
  func sendRefusal(_ text: String, to url: String) throws -> ServiceError {
    try refusal("message.send") {
      $0.member("channel_url", url)
      $0.member("message", text)
    }
  }
}
