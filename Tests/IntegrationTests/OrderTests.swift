import Foundation
import ParleyProtocol
import Testing
import TestPeers

/// Settings under which nothing but order matters.
let unlimitedSending = [
  "--limits-flood-messages", "0",
  "--limits-user-flood-messages", "0", "--limits-throttle-messages", "0", "--unfurl-mode", "off",
]

extension ServerTests {
  @Suite("keeps order")
  struct OrderTests {
    @Test("pipelined sends to two channels are answered in the order of their arrival")
    func pipelining() throws {
      let server = try ServerProcess(unlimitedSending + ["--reactors", "2"])
      let client = try server.open("jeff")
      for url in ["left", "right"] {
        try client.create(url)
        try client.enter(url)
      }
      let requests = try (0..<400).map { number in
        let url = number % 3 == 0 ? "left" : "right"
        return (url, try client.requestSend("message \(number)", to: url))
      }
      var sent: [String: [SentMessage]] = [:]
      var ordinals: [Int] = []
      for (url, id) in requests {
        let reply = try client.reply(to: id)
        ordinals.append(reply.ordinal)
        sent[url, default: []].append(try SentMessage(reply.result.get()))
      }
      #expect(ordinals == ordinals.sorted())
      for url in ["left", "right"] {
        let messages = try #require(sent[url])
        #expect(messages.map(\.seq) == Array(1...Int64(messages.count)))
        #expect(try client.allMessages(in: url).map(\.id) == messages.map(\.id))
      }
      #expect(client.events.isEmpty)
    }

    @Test("every participant gets a channel's events in order, none lost or duplicated on entry")
    func enteringDuringTraffic() throws {
      let server = try ServerProcess(unlimitedSending + ["--reactors", "3"])
      let owner = try server.open("olga")
      try owner.create("lobby")
      try owner.enter("lobby")
      let traffic = TestThread.concurrentlyStarted(3) { index in
        let client = try server.open("sender-\(index)")
        try client.enter("lobby")
        for number in 0..<120 { try client.send("\(index) says \(number)", to: "lobby") }
      }
      let viewers = try TestThread.concurrently(4) { index in
        try Self.watch(server, "viewer-\(index)", reentering: index % 2 == 0)
      }
      _ = try traffic()
      try owner.rename("lobby", to: "the end")
      let all = try owner.events(throughRenaming: "lobby", to: "the end").compactMap(\.seq)
      let last = Int64(3 * 120 + 1)
      #expect(all == Array(1...last))
      for (client, entered) in viewers {
        let events = try client.events(throughRenaming: "lobby", to: "the end")
        let durable = events.filter { $0.seq != nil }
        #expect(durable.compactMap(\.seq) == Array((entered.seq + 1)...last))
        #expect(events.allSatisfy { $0.ordinal > entered.ordinal })
      }
    }

    /// Enters when traffic has begun; entering again changes nothing about what is delivered.
    private static func watch(
      _ server: ServerProcess, _ userID: String, reentering: Bool
    ) throws -> (client: WireClient, entered: (seq: Int64, ordinal: Int)) {
      let client = try server.open(userID)
      let id = try client.request("channel.enter") { $0.member("channel_url", "lobby") }
      let reply = try client.reply(to: id)
      let seq = try #require(try reply.result.get()["seq"]?.integer)
      if reentering {
        for _ in 0..<10 {
          let again = try #require(try client.enter("lobby")["seq"]?.integer)
          let told = client.events.compactMap(\.seq).last ?? seq
          #expect(told == again)
        }
      }
      return (client, (seq, reply.ordinal))
    }

    @Test("no event arrives after the response to a later send")
    func answersAndEvents() throws {
      let server = try ServerProcess(unlimitedSending + ["--reactors", "3"])
      let owner = try server.open("olga")
      try owner.create("lobby")
      let senders = try TestThread.concurrently(3) { index in
        let client = try server.open("sender-\(index)")
        let entered = try #require(try client.enter("lobby")["seq"]?.integer)
        var answers: [(seq: Int64, ordinal: Int)] = []
        for number in 0..<30 {
          let ids = try (0..<5).map { try client.requestSend("\(number).\($0)", to: "lobby") }
          for id in ids {
            let reply = try client.reply(to: id)
            answers.append((try SentMessage(reply.result.get()).seq, reply.ordinal))
          }
        }
        return (client, entered, answers)
      }
      try owner.rename("lobby", to: "the end")
      for (client, entered, answers) in senders {
        let events = try client.events(throughRenaming: "lobby", to: "the end")
        let told = events.filter { $0.seq != nil }
        let seqs = told.compactMap(\.seq)
        #expect(seqs == seqs.sorted())
        let all = Set(seqs + answers.map(\.seq))
        #expect(all == Set(entered + 1...Int64(3 * 30 * 5 + 1)))
        // What a client has seen never makes it take a later event for an old one.
        for event in told {
          let before = answers.filter { $0.ordinal < event.ordinal }.map(\.seq)
          #expect(before.max() ?? 0 < event.seq ?? 0)
        }
      }
    }

    @Test("a response arrives after the event of the call that it answers")
    func ownEvents() throws {
      let server = try ServerProcess(unlimitedSending)
      let owner = try server.open("olga")
      try owner.create("lobby")
      try owner.enter("lobby")
      for name in ["one", "two", "three"] {
        let id = try owner.request("channel.update") {
          $0.member("channel_url", "lobby")
          $0.member("name", name)
        }
        let reply = try owner.reply(to: id)
        #expect(try owner.event("channel.changed").ordinal < reply.ordinal)
      }
    }

    @Test("the response to a repetition arrives after the message that it names")
    func repetitions() throws {
      let server = try ServerProcess(unlimitedSending + ["--reactors", "2"])
      let clients = try (0..<3).map { _ in try server.open("jeff") }
      try clients[0].create("lobby")
      for client in clients { try client.enter("lobby") }
      var answers = clients.map { _ in [Int64: Int]() }
      for number in 0..<100 {
        let ids = try clients.map {
          try $0.requestSend("\(number)", to: "lobby", requestID: "\(number)")
        }
        for index in clients.indices {
          let reply = try clients[index].reply(to: ids[index])
          answers[index][try SentMessage(reply.result.get()).seq] = reply.ordinal
        }
      }
      try clients[0].rename("lobby", to: "the end")
      for (client, answers) in zip(clients, answers) {
        #expect(answers.count == 100)
        for event in try client.events(throughRenaming: "lobby", to: "the end") {
          guard let seq = event.seq, let answer = answers[seq] else { continue }
          #expect(event.ordinal < answer)
        }
      }
    }

    @Test("recovery after a reconnection returns each missed event once")
    func recovery() throws {
      let server = try ServerProcess(unlimitedSending + ["--reactors", "2"])
      let sender = try server.open("jeff")
      try sender.create("lobby")
      try sender.enter("lobby")
      let first = try server.open("mia")
      let answer = try first.enter("lobby")
      let epoch = try #require(answer["epoch"]?.string)
      try sender.send("seen", to: "lobby")
      let seen = try #require(try first.event("message.received").seq)
      first.connection.stream.close()
      let traffic = TestThread.concurrentlyStarted(1) { _ in
        let client = try server.open("otto")
        try client.enter("lobby")
        return try (0..<150).map { try client.send("missed \($0)", to: "lobby").seq }
      }
      let second = try server.open("mia")
      let back = try second.call("channel.enter") {
        $0.member("channel_url", "lobby")
        $0.member(
          "recover",
          object: {
            $0.member("epoch", epoch)
            $0.member("seq", seen)
          })
      }
      #expect(back["recovered"]?.bool == true)
      let events = try #require(back["events"]).elements
      let recovered = events.compactMap { $0["params"]?["seq"]?.integer }
      let position = try #require(back["seq"]?.integer)
      #expect(recovered == Array(seen + 1..<position + 1))
      let last = try #require(try traffic().first?.last)
      try sender.rename("lobby", to: "the end")
      let told = try second.events(throughRenaming: "lobby", to: "the end").compactMap(\.seq)
      #expect(recovered + told == Array(seen + 1...last + 1))
    }
  }
}
