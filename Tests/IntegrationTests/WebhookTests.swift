import ParleyProtocol
import TestPeers
import TestSupport
import Testing

extension ServerTests {
  @Suite("that posts events to webhooks")
  struct WebhookTests {
    private static func flags(_ hooks: HookServer..., timeout: Int = 60_000) -> [String] {
      unlimitedSending + [
        "--webhooks-urls", hooks.map(\.url).joined(separator: ","), "--webhooks-secret",
        "a secret of sixteen bytes", "--webhooks-events", "message.received",
        "--webhooks-timeout-ms", "\(timeout)",
      ]
    }

    private static func counter(_ name: String, of server: ServerProcess) throws -> Int? {
      let lines = try server.get("/metrics").text.split(separator: "\n")
      return lines.first { $0.hasPrefix(name + " ") }?.split(separator: " ").last.flatMap {
        Int($0)
      }
    }

    @Test("keeps the order of each channel even if requests fail")
    func order() throws {
      let hook = try HookServer(.refuses(500, times: 3))
      defer { hook.stop() }
      let server = try ServerProcess(Self.flags(hook))
      let client = try server.open("olga")
      let channels = ["first", "second", "third"]
      for url in channels {
        try client.create(url)
        try client.enter(url)
      }
      let texts = (0..<120).map { "text \($0)" }
      for text in texts { for url in channels { _ = try client.requestSend(text, to: url) } }
      try Deadline.standard.wait(for: "all messages of all channels") {
        try channels.allSatisfy { try hook.texts(of: $0).count >= texts.count }
      }
      for url in channels { #expect(try hook.texts(of: url) == texts, "\(url)") }
      let failed = #"parley_webhook_requests_total{outcome="failed"}"#
      #expect(try Self.counter(failed, of: server) == 3)
      let delivered = "parley_webhook_events_delivered_total"
      #expect(try Self.counter(delivered, of: server) == 360)
      try Deadline.standard.wait(for: "an empty outbox") {
        try Self.counter("parley_webhook_backlog_events", of: server) == 0
      }
    }

    @Test("retries requests that were not answered in time")
    func timeOut() throws {
      let hook = try HookServer(.silent)
      defer { hook.stop() }
      let server = try ServerProcess(Self.flags(hook, timeout: 200))
      let client = try server.open("olga")
      try client.create("lobby")
      try client.enter("lobby")
      try client.send("hello", to: "lobby")
      try Deadline.standard.wait(for: "two tries") { hook.requests.count >= 2 }
      hook.behave(.takes)
      try Deadline.standard.wait(for: "the message") { try !hook.texts(of: "lobby").isEmpty }
      #expect(Set(hook.requests.map(\.body)).count == 1)
      let state = try server.call("GET", "parley/webhooks")["webhooks"]?.elements.map(\.self).first
      #expect(state?["last_failure"]?.string == "no answer in time")
    }

    @Test(
      "posts every message acknowledged before it was killed, in order",
      arguments: [21, 22] as [UInt64])
    func killed(seed: UInt64) throws {
      var random = SeededGenerator(seed: seed)
      let hook = try HookServer()
      defer { hook.stop() }
      let traffic = KilledTraffic(
        seed: seed, acknowledgements: Int.random(in: 50...800, using: &random))
      let first = try ServerProcess(Self.flags(hook))
      let olga = try first.open("olga")
      for url in KilledTraffic.channels { try olga.create(url) }
      let attempts = try traffic.run(on: first)

      let second = try ServerProcess(Self.flags(hook), in: first.directory)
      let client = try second.open("olga")
      for url in KilledTraffic.channels {
        try client.enter(url)
        let stored = try client.allMessages(in: url).map(\.text)
        let answered = attempts.filter { $0.url == url && $0.answer != nil }.map(\.text)
        #expect(Set(answered).isSubset(of: stored), "seed \(seed)")
        try Deadline.standard.wait(for: "all messages of \(url)") {
          Set(try hook.texts(of: url)).isSuperset(of: stored)
        }
        var seen: Set<String> = []
        let firsts = try hook.texts(of: url).filter { seen.insert($0).inserted }
        #expect(firsts == stored, "seed \(seed)")
      }
    }

    @Test("responds to senders while a receiver hangs, which gets one request per channel")
    func deadReceiver() throws {
      let dead = try HookServer(.silent)
      let alive = try HookServer()
      defer {
        dead.stop()
        alive.stop()
      }
      let server = try ServerProcess(Self.flags(dead, alive, timeout: 60_000))
      let client = try server.open("olga")
      for url in ["first", "second"] {
        try client.create(url)
        try client.enter(url)
        for number in 0..<200 { try client.send("text \(number)", to: url) }
      }
      try Deadline.standard.wait(for: "all messages at the other receiver") {
        try ["first", "second"].allSatisfy { try alive.texts(of: $0).count == 200 }
      }
      #expect(dead.requests.count == 2)
      let state = try server.call("GET", "parley/webhooks")["webhooks"]?.elements.map(\.self)
      #expect(state?.map { $0["backlog"]?.integer } == [400, 0])
      #expect(try server.stop() == .exited(0))
    }

    @Test("drops the oldest events when too many wait, and counts them")
    func bounded() throws {
      let hook = try HookServer(.silent)
      defer { hook.stop() }
      let limit = ["--webhooks-backlog-events", "50"]
      let server = try ServerProcess(Self.flags(hook, timeout: 300) + limit)
      let client = try server.open("olga")
      try client.create("lobby")
      try client.enter("lobby")
      for number in 0..<200 { try client.send("text \(number)", to: "lobby") }
      let dropped = #"parley_webhook_events_dropped_total{reason="backlog"}"#
      try Deadline.standard.wait(for: "150 to be dropped") {
        try Self.counter(dropped, of: server) == 150
      }
      #expect(try Self.counter("parley_webhook_backlog_events", of: server) == 50)
      let complaints = server.process.log.lines.count { $0.contains("dropping the oldest events") }
      #expect(complaints >= 1)
      hook.behave(.takes)
      try Deadline.standard.wait(for: "the last message") {
        try hook.texts(of: "lobby").last == "text 199"
      }
    }

    @Test("gives up after failing for too long, and continues with the next event")
    func expires() throws {
      let hook = try HookServer(.refuses(400, times: 1))
      defer { hook.stop() }
      let server = try ServerProcess(Self.flags(hook) + ["--webhooks-retry-seconds", "0"])
      let client = try server.open("olga")
      try client.create("lobby")
      try client.enter("lobby")
      try client.send("first", to: "lobby")
      let expired = #"parley_webhook_events_dropped_total{reason="expired"}"#
      try Deadline.standard.wait(for: "the first to be given up") {
        try Self.counter(expired, of: server) == 1
      }
      try client.send("second", to: "lobby")
      try Deadline.standard.wait(for: "the second") { try !hook.texts(of: "lobby").isEmpty }
      #expect(try hook.texts(of: "lobby") == ["second"])
    }
  }
}
