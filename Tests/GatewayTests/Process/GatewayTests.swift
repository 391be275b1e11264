import Basics
import Configuration
import Glibc
import Logging
import Reactor
import TestSupport
import Testing
import HTTP

@testable import Gateway
import TestPeers

@Suite("Gateway", .onOwnThreads)
struct GatewayTests {
  @Test("it is ready on the port that it reports, and no longer once it drains")
  func tellsReadiness() throws {
    let running = try RunningGateway()
    let client = try running.connect()
    try client.write("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(try client.readUntil("ready\n").hasPrefix("HTTP/1.1 200 "))
    running.gateway.drain()
    running.gateway.waitUntilStopped()
    #expect(throws: (any Error).self) {
      let late = try running.connect()
      try late.write("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
      _ = try late.readUntil("ready\n")
    }
  }

  @Test("draining tells clients to reconnect later and closes sessions with 1001")
  func drains() throws {
    let running = try RunningGateway()
    let clients = try (0..<5).map { _ in try running.connect() }
    for (number, client) in clients.enumerated() {
      try client.upgrade()
      let call =
        #"{"jsonrpc":"2.0","id":1,"method":"session.open","params":{"user_id":"u\#(number)","groups":false}}"#
      try client.send(call)
      #expect(try client.nextText().contains(#""id":1,"result""#))
    }
    running.gateway.drain()
    for client in clients {
      #expect(try client.nextText().contains("server.draining"))
      #expect(try client.nextClose() == .goingAway)
    }
    running.gateway.waitUntilStopped()
  }

  @Test("an immediate stop closes remaining connections")
  func hurries() throws {
    let running = try RunningGateway { $0.drain.timeoutMilliseconds = 3_600_000 }
    let client = try running.connect()
    try client.upgrade()
    running.gateway.drain()
    #expect(try client.nextText().contains("server.draining"))
    running.gateway.hurry()
    running.gateway.waitUntilStopped()
    #expect(try client.nextClose() == .goingAway)
  }

  @Test("an unavailable address is named in the error")
  func namesAddresses() throws {
    let error = #expect(throws: SystemError.self) {
      _ = try RunningGateway {
        $0.listen = [ListenAddress(.v4(0xc000_0201), port: 0)]
      }
    }
    #expect(error?.object.contains("192.0.2.1") == true)
  }
}
