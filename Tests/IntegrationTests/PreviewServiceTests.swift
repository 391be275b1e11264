import Glibc
import ParleyProtocol
import Testing
import TestPeers
import TestSupport

extension ServerTests {
  @Suite("gets previews from a service")
  struct PreviewServiceTests {
    private static let page = """
      <html><head><meta property="og:title" content="A page"></head></html>
      """

    private struct Service {
      let process: Parleyd
      let url: String

      init(on port: UInt16 = 0) throws {
        process = try Parleyd(
          [
            "--listen", "127.0.0.1:\(port)", "--unfurl-allow-addresses", "127.0.0.0/8",
            "--unfurl-allow-ports", "1-65535",
          ], program: "parley-unfurl")
        let process = process
        let mark = "listening on http://"
        try Deadline.standard.wait(for: "the service to listen") {
          process.log.text.contains(mark) && process.log.text.contains("\n")
        }
        let line = process.log.lines.first { $0.contains(mark) } ?? ""
        let address = line.split(separator: mark).last?.prefix { !$0.isWhitespace } ?? ""
        url = "http://\(address)/unfurl"
      }
    }

    private func lobby(_ server: ServerProcess) throws -> WireClient {
      let jeff = try server.open("jeff")
      try jeff.create("lobby")
      try jeff.enter("lobby")
      return jeff
    }

    @Test("that fetches pages in a separate process")
    func endToEnd() throws {
      let pages = try PageServer(page: Self.page)
      defer { pages.stop() }
      let service = try Service()
      let server = try ServerProcess(["--unfurl-mode", "http", "--unfurl-url", service.url])
      let jeff = try lobby(server)
      try jeff.send("see \(pages.url("/a"))", to: "lobby")
      let update = try jeff.event("message.updated")
      #expect(update.params?["message"]?["og_tag"]?["og:title"]?.string == "A page")
      let explained = try server.platform(
        "/v3/parley/previews/explain?url=127.0.0.1:\(pages.port)/b")
      #expect(explained.status == 400)
      let body = try server.platform(
        "/v3/parley/previews/explain?url=http%3A%2F%2F127.0.0.1%3A\(pages.port)%2Fb"
      ).body
      #expect(
        body["trace"]?["requests"]?.elements.contains { $0["status"]?.integer == 200 } == true)
      service.process.send(signal: SIGTERM)
      #expect(try service.process.waitForEnd() == .exited(0))
    }

    @Test("and continues without previews while the service is down")
    func serviceDown() throws {
      let service = try Service()
      service.process.send(signal: SIGKILL)
      _ = try service.process.waitForEnd()
      let server = try ServerProcess([
        "--unfurl-mode", "http", "--unfurl-url", service.url, "--limits-flood-messages", "0",
        "--limits-user-flood-messages", "0",
      ])
      let jeff = try lobby(server)
      for number in 0..<20 {
        let answer = try jeff.call("message.send") {
          $0.member("channel_url", "lobby")
          $0.member("message", "http://page.example/\(number)")
        }
        #expect(answer["message"]?["og_tag"]?.isNull == true)
      }
      try Deadline.standard.wait(for: "the breaker to open") {
        try server.get("/metrics").text.contains("parley_preview_service_up 0")
      }
    }
  }
}
