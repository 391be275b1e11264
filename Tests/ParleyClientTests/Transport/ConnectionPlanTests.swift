import TestSupport
import Testing

@testable import ClientSockets
@testable import ClientTransport
@testable import ParleyClient

@Suite("Connection plan", .onOwnThreads)
struct ConnectionPlanTests {
  @Test(
    "header fields that the handshake sets itself, or that cannot be sent, are refused",
    arguments: [
      ("Host", "x"), ("upgrade", "x"), ("Connection", "x"), ("Sec-WebSocket-Key", "x"),
      ("Content-Length", "1"), ("", "x"), ("a b", "x"), ("a:b", "x"), ("X", "a\r\nY: b"),
      ("X", "a\u{0}"),
    ])
  func refusedFields(name: String, value: String) {
    var configuration = ConnectionSettings(serverURL: "ws://a.b")
    configuration.headers = [(name, value)]
    #expect {
      _ = try ConnectionPlan(configuration)
    } throws: { error in
      if case .invalidConfiguration? = error as? ConnectionPlanError { true } else { false }
    }
  }

  @Test("a plan connects to the proxy if there is one")
  func firstHop() throws {
    var configuration = ConnectionSettings(serverURL: "wss://a.b")
    let direct = try ConnectionPlan(configuration).firstHop
    #expect(direct.host == "a.b" && direct.port == 443)
    configuration.proxyURL = "http://proxy.test:3128"
    let relayed = try ConnectionPlan(configuration).firstHop
    #expect(relayed.host == "proxy.test" && relayed.port == 3128)
  }

  @Test("durations become whole milliseconds, up to the maximum")
  func milliseconds() {
    #expect(Duration.seconds(2).milliseconds == 2000)
    #expect(Duration.microseconds(1999).milliseconds == 1)
    #expect(Duration.seconds(Int64.max).milliseconds == .max)
    #expect(Duration.seconds(-3).milliseconds == -3000)
  }
}
