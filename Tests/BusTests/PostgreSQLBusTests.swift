import Bus
import Glibc
import PostgreSQL
import Reactor
import TestSupport
import Testing

@Suite("A bus over PostgreSQL", .serialized, .onOwnThreads)
struct PostgreSQLBusTests {
  private let first: Inbox
  private let second: Inbox

  init() throws {
    first = try #require(Inbox("parley:1"))
    second = try #require(Inbox("parley:2"))
  }

  private func bus(_ inbox: Inbox, _ url: String) throws -> BusHost {
    try BusHost { loop, handler throws(SystemError) in
      try PostgreSQLBus(url, listeningTo: [inbox], on: loop, handler: handler)
    }
  }

  private func withPair(
    _ body: (PostgreSQLServer, BusHost, BusHost) throws -> Void
  ) throws {
    let server = try PostgreSQLServer()
    defer { try? server.remove() }
    let (one, two) = (try bus(first, server.url), try bus(second, server.url))
    defer {
      one.stop()
      two.stop()
    }
    try one.waitUntilUp()
    try two.waitUntilUp()
    try body(server, one, two)
  }

  /// The processes of the server that serve buses.
  private func sessions(_ server: PostgreSQLServer) throws -> [Int32] {
    let rows = try PostgreSQLConnection(server.url).execute(
      "SELECT pid::bigint FROM pg_stat_activity WHERE application_name = 'parley bus'")
    return (0..<rows.count).map { Int32(rows.integer($0, 0)) }
  }

  @Test("messages arrive in both directions and in order, including identical ones")
  func order() throws {
    try withPair { _, one, two in
      let (count, inbox) = (20_000, second)
      one.perform { bus in
        for number in 0..<count { bus.send(Array(String(number / 2).utf8), to: inbox) }
      }
      two.send("to one", to: first)
      two.send([0, 255, 39, 92], to: first)
      try two.waitForMessages(count)
      #expect(two.texts == (0..<count).map { String($0 / 2) })
      try one.waitForMessages(2)
      #expect(one.messages == [Array("to one".utf8), [0, 255, 39, 92]])
      #expect(one.states == [.up] && two.states == [.up])
    }
  }

  @Test("the longest message is delivered, a longer one is not")
  func lengths() throws {
    try withPair { _, one, two in
      let longest = (0..<5_994).map { UInt8($0 & 255) }
      one.send(longest, to: second)
      one.send(longest + [1], to: second)
      one.send([], to: second)
      try two.waitForMessages(2)
      #expect(two.messages == [longest, []])
      #expect(one.states == [.up])
    }
  }

  @Test("terminated sessions are reopened, and the loss is reported")
  func terminated() throws {
    try withPair { server, one, two in
      for session in try sessions(server) {
        _ = try PostgreSQLConnection(server.url).execute(
          "SELECT pg_terminate_backend($1::bigint::int)", [.integer(Int64(session))])
      }
      // Whether the server's last words are read depends on the connection that ends first.
      try one.waitForReason("connection")
      try two.waitForReason("connection")
      try one.waitUntilBack()
      try two.waitUntilBack()
      try one.sendUntilReceived("after", to: second, by: two)
    }
  }

  @Test("the bus recovers after the server crashes and restarts")
  func crash() throws {
    try withPair { server, one, two in
      try server.stop(.immediate)
      try one.waitForReason("PostgreSQL: ")
      try server.start()
      try one.waitUntilBack()
      try two.waitUntilBack()
      try two.sendUntilReceived("after", to: first, by: one)
    }
  }

  @Test("a session that hangs while its connection stays open is detected")
  func halfOpen() throws {
    try withPair { server, one, two in
      let stopped = try sessions(server)
      for session in stopped { kill(session, SIGSTOP) }
      defer { for session in stopped { kill(session, SIGCONT) } }
      try one.waitForReason("does not answer")
      try two.waitForReason("does not answer")
      for session in stopped { kill(session, SIGCONT) }
      try one.waitUntilBack()
      try two.waitUntilBack()
      try one.sendUntilReceived("after", to: second, by: two)
    }
  }

  @Test("an error names a wrong database but never shows a password")
  func wrongDatabase() throws {
    let server = try PostgreSQLServer()
    defer { try? server.remove() }
    let url = server.url.replacing("parley@/parley", with: "parley:s3cret@/nowhere")
    let bus = try bus(first, url)
    defer { bus.stop() }
    try bus.waitForReason("nowhere")
    #expect(bus.reasons.allSatisfy { !$0.contains("s3cret") })
  }
}
