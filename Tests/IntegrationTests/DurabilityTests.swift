import Foundation
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

extension ServerTests {
  @Suite("that is killed")
  struct DurabilityTests {
    private static let urls = ["garden", "kitchen", "attic"]
    private static let flags = unlimitedSending + ["--reactors", "2"]

    @Test(
      "keeps every message that it acknowledged, whole and in its place",
      arguments: [1, 2, 3] as [UInt64])
    func messages(seed: UInt64) throws {
      var random = SeededGenerator(seed: seed)
      let first = try ServerProcess(Self.flags)
      let before = try Self.prepare(first)
      let sent = try Self.sendUntilKilled(
        first, acknowledgements: Int.random(in: 50...1_200, using: &random), seed: seed)

      let second = try ServerProcess(Self.flags, in: first.directory)
      let client = try second.open("olga")
      for url in Self.urls {
        let answer = try client.enter(url)
        #expect(answer["epoch"]?.string == before[url]?.epoch, "seed \(seed)")
        let listed = try client.allMessages(in: url)
        #expect(listed.map(\.createdAt) == listed.map(\.createdAt).sorted(), "seed \(seed)")
        #expect(listed.map(\.id) == listed.map(\.id).sorted(), "seed \(seed)")
        let there = Dictionary(uniqueKeysWithValues: listed.map { ($0.id, $0) })
        let acknowledged = sent.filter { $0.url == url }.compactMap { attempt in
          attempt.answer.map { (attempt, $0) }
        }
        for (attempt, answer) in acknowledged {
          let message = there[answer.id]
          #expect(message?.text == attempt.text, "seed \(seed)")
          #expect(message?.requestID == attempt.requestID, "seed \(seed)")
          #expect(message?.createdAt == answer.createdAt, "seed \(seed)")
        }
        // Nothing but messages was counted, so no gap is left for a message that is not there.
        #expect(
          answer["seq"]?.integer == (before[url]?.seq ?? 0) + Int64(listed.count), "seed \(seed)")
        let positions = Dictionary(
          uniqueKeysWithValues: listed.enumerated().map { ($1.id, $0 + 1) })
        for (_, answer) in acknowledged {
          let place = (before[url]?.seq ?? 0) + Int64(positions[answer.id] ?? 0)
          #expect(answer.seq == place, "seed \(seed)")
        }
        let texts = Set(sent.filter { $0.url == url }.map(\.text))
        #expect(listed.allSatisfy { texts.contains($0.text) }, "seed \(seed)")
      }
      try Self.expectRepetition(of: sent, on: second, seed: seed)
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

    /// One send, and what was answered before the end.
    struct Attempt {
      let sender: String
      let url: String
      let requestID: String
      let text: String
      var answer: SentMessage?
    }

    private static func prepare(
      _ server: ServerProcess
    ) throws -> [String: (epoch: String, seq: Int64)] {
      let olga = try server.open("olga")
      var positions: [String: (epoch: String, seq: Int64)] = [:]
      for url in urls {
        try olga.create(url)
        let answer = try olga.enter(url)
        positions[url] = (
          try #require(answer["epoch"]?.string), try #require(answer["seq"]?.integer)
        )
      }
      return positions
    }

    /// Lets four users send as fast as they can, and kills the server in the midst of it.
    private static func sendUntilKilled(
      _ server: ServerProcess, acknowledgements: Int, seed: UInt64
    ) throws -> [Attempt] {
      let count = Counter()
      let finish = TestThread.concurrentlyStarted(4) { index in
        try send(on: server, "sender-\(index)", seed: seed * 10 + UInt64(index), count)
      }
      try Deadline.in(seconds: 40).wait(for: "\(acknowledgements) acknowledgements") {
        count.value.load(ordering: .relaxed) >= acknowledgements
      }
      try server.kill()
      return try finish().flatMap(\.self)
    }

    private static func send(
      on server: ServerProcess, _ userID: String, seed: UInt64, _ count: Counter
    ) throws -> [Attempt] {
      var random = SeededGenerator(seed: seed)
      let client = try server.open(userID)
      for url in urls { try client.enter(url) }
      var attempts: [Attempt] = []
      var pending: [(index: Int, id: RPCIdentifier)] = []
      // The connection's end is this loop's end, wherever it is noticed.
      while client.closeCode == nil {
        let requestID = "\(userID)-\(attempts.count)"
        let attempt = Attempt(
          sender: userID, url: urls[Int.random(in: 0..<urls.count, using: &random)],
          requestID: requestID, text: "text of \(requestID)")
        attempts.append(attempt)
        let id = try? client.requestSend(attempt.text, to: attempt.url, requestID: requestID)
        guard let id else { break }
        pending.append((attempts.count - 1, id))
        if pending.count >= 16 {
          let (index, id) = pending.removeFirst()
          guard let reply = try? client.reply(to: id) else { break }
          attempts[index].answer = try SentMessage(reply.result.get())
          count.value.add(1, ordering: .relaxed)
        }
      }
      _ = try? client.waitForClose()
      for (index, id) in pending {
        guard let reply = client.takeReply(to: id) else { continue }
        attempts[index].answer = try SentMessage(reply.result.get())
      }
      return attempts
    }

    /// Sends everything that was in flight, and some of the rest, once more.
    private static func expectRepetition(
      of attempts: [Attempt], on server: ServerProcess, seed: UInt64
    ) throws {
      for (sender, own) in Dictionary(grouping: attempts, by: \.sender) {
        let client = try server.open(sender)
        for url in urls { try client.enter(url) }
        let unanswered = own.filter { $0.answer == nil }
        for attempt in unanswered + own.filter({ $0.answer != nil }).suffix(30) {
          let again = try client.send(attempt.text, to: attempt.url, requestID: attempt.requestID)
          if let first = attempt.answer { #expect(again == first, "seed \(seed)") }
        }
      }
      let client = try server.open("olga")
      for url in urls {
        let ids = try client.allMessages(in: url).map(\.requestID)
        let expected = attempts.filter { $0.url == url }.map(\.requestID)
        #expect(ids.sorted() == expected.sorted(), "seed \(seed)")
      }
    }
  }
}

/// Counts over all threads.
final class Counter: Sendable {
  let value = Atomic(0)
}

extension ParleyClient {
  /// Sends a message and waits for the error that it is answered with.
  func sendRefusal(_ text: String, to url: String) throws -> ServiceError {
    try refusal("message.send") {
      $0.member("channel_url", url)
      $0.member("message", text)
    }
  }
}
