import Configuration
import Logging
import Synchronization
import Testing

@testable import Gateway
import TestPeers

@Suite("A startup that waits for its database")
struct StartingServerTests {
  private let directory: TemporaryDirectory
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  init() throws { directory = try TemporaryDirectory() }

  private func settings(_ bus: BusPlace? = nil) throws -> Settings {
    var settings = Settings()
    settings.dataDirectory = directory.path
    settings.unfurl.mode = .off
    settings.reactors = 2
    settings.listen = [ListenAddress.loopback(port: 0)]
    settings.store.url = Secret("postgresql://parley:hush@127.0.0.1:1/parley")
    settings.cluster.bus = bus
    return settings
  }

  /// The answers that a server gives before the first attempt after it had to wait.
  private func answers(
    _ settings: Settings, to requests: [String], end: String
  ) throws -> [String] {
    let answers = Mutex<[String]>([])
    #expect(throws: (any Error).self) {
      try Gateway(GatewayPlan(settings), logger: logger) { reason, addresses in
        #expect(!reason.contains("hush"))
        for request in requests {
          let port = addresses[0].address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
          let answer = try? GatewayClient(port: port).exchange(request, end: end)
          answers.withLock { $0.append(answer ?? "none") }
        }
        return false
      }
    }
    return answers.withLock(\.self)
  }

  @Test(
    "it is live but not ready and gives the reason, in a cluster too",
    arguments: [nil, BusPlace.postgreSQL])
  func tellsReason(_ bus: BusPlace?) throws {
    let ready = try answers(
      settings(bus), to: ["GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"], end: "refused")
    #expect(ready.count == 1 && ready.allSatisfy { $0.hasPrefix("HTTP/1.1 503 ") })
    #expect(
      ready.allSatisfy { $0.contains("not ready: waiting for PostgreSQL: connection to server") })
    let alive = try answers(
      settings(bus), to: ["GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"], end: "alive\n")
    #expect(alive.allSatisfy { $0.hasPrefix("HTTP/1.1 200 ") })
  }

  @Test("all other requests are refused with 503, including bodies and WebSockets")
  func refuses() throws {
    let upgrade = """
      GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
      Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
      """
    let post = """
      POST /v3/users HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}
      """
    let large = "PUT /v3/users/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n"
    let answers = try answers(settings(), to: [upgrade, post, large], end: "}")
    #expect(answers.count == 3)
    for answer in answers {
      #expect(answer.hasPrefix("HTTP/1.1 503 "), "\(answer)")
      #expect(answer.contains("400501") && answer.contains("Retry-After: 1"), "\(answer)")
    }
  }
}

extension GatewayClient {
  /// Sends a request, and reads its answer up to some text.
  fileprivate func exchange(_ request: String, end: String) throws -> String {
    try write(request)
    return try readUntil(end)
  }
}
