import ParleyProtocol
import Testing
import TestPeers

extension ServerTests {
  @Suite("in a new user's first minute")
  struct FirstMinuteTests {
    private static let page = """
      <html><head><meta property="og:title" content="A page &amp; more">
      <meta property="og:description" content="About it"></head></html>
      """
    private static let flags = [
      "--unfurl-allow-addresses", "127.0.0.0/8", "--unfurl-allow-ports", "1-65535",
    ]

    @Test("delivers a message immediately and its link's preview as an update")
    func previewFollows() throws {
      let pages = try PageServer(page: Self.page)
      defer { pages.stop() }
      let server = try ServerProcess(Self.flags)
      let jeff = try server.open("jeff")
      let mia = try server.open("mia", compression: .offered)
      try jeff.create("lobby")
      try jeff.enter("lobby")
      #expect(try mia.enter("lobby")["participant_count"]?.integer == 2)
      #expect(
        try jeff.event("channel.user_entered").params?["user"]?["user_id"]?.string == "mia")

      let text = "see \(pages.url("/page"))"
      let answer = try jeff.call("message.send") {
        $0.member("channel_url", "lobby")
        $0.member("message", text)
      }
      #expect(answer["message"]?["og_tag"]?.isNull == true)
      let sent = try SentMessage(answer)
      let received = try mia.event("message.received")
      #expect(received.messageID == sent.id)
      #expect(received.seq == sent.seq)
      #expect(received.params?["message"]?["message"]?.string == text)
      for client in [jeff, mia] {
        let update = try client.event("message.updated")
        let message = update.params?["message"]
        #expect(message?["message_id"]?.integer == sent.id)
        #expect(message?["og_tag"]?["og:title"]?.string == "A page & more")
        #expect(message?["updated_at"]?.integer == 0)
        #expect(update.seq == sent.seq + 1)
      }
    }

    @Test("includes a known preview in the response, also after a restart")
    func knownPreview() throws {
      let pages = try PageServer(page: Self.page)
      defer { pages.stop() }
      let first = try ServerProcess(Self.flags)
      let jeff = try first.open("jeff")
      try jeff.create("lobby")
      try jeff.enter("lobby")
      let link = pages.url("/page")
      try jeff.send(link, to: "lobby")
      _ = try jeff.event("message.updated")
      jeff.connection.stream.close()
      #expect(try first.stop() == .exited(0))

      let second = try ServerProcess(Self.flags, in: first.directory)
      let mia = try second.open("mia")
      let otto = try second.open("otto")
      for client in [mia, otto] { try client.enter("lobby") }
      let answer = try mia.call("message.send") {
        $0.member("channel_url", "lobby")
        $0.member("message", "again \(link)")
      }
      #expect(answer["message"]?["og_tag"]?["og:title"]?.string == "A page & more")
      let tag = try otto.event("message.received").params?["message"]?["og_tag"]
      #expect(tag?["og:description"]?.string == "About it")
      try mia.send("the end", to: "lobby")
      let rest = try otto.events(through: "message.received")
      #expect(!rest.contains { $0.method == "message.updated" })
      #expect(pages.requestedPaths == ["/page"])
    }

    @Test("refuses channel.enter before session.open, and identifies itself after it")
    func opening() throws {
      let server = try ServerProcess()
      let client = try server.connect()
      let error = try client.refusal("channel.enter") { $0.member("channel_url", "lobby") }
      #expect(error.code == .invalidRequest)
      let answer = try client.call("session.open") {
        $0.member("user_id", "jeff")
        $0.member("nickname", "Jeff")
      }
      #expect(answer["user"]?["nickname"]?.string == "Jeff")
      #expect(answer["server"]?["name"]?.string == "parley")
      #expect(answer["limits"]?["flood"]?["messages"]?.integer == 5)
      #expect(
        try client.refusal("session.open") { $0.member("user_id", "jeff") }.code
          == .invalidRequest)
      try client.call("session.close")
      #expect(try client.waitForClose() == 1000)
    }
  }
}
