import Configuration
import Dispatch
import FloodControl
import Synchronization
import TestSupport
import Testing

@testable import Gateway
@testable import Store

@Suite("The flood window of a channel during a takeover", .onOwnThreads)
struct TakeOverWindowTests {
  /// Longer than the test on any machine.
  private static let window: Int64 = 3_600_000
  /// Milliseconds that the take-over takes.
  private static let delay: Int64 = 300

  @Test("contains the messages sent while the takeover waited for the database")
  func slowTakeOver() throws {
    let servers = try DrivenServers(count: 2) {
      $0.limits.flood.limit = RateLimit(count: 1, windowMilliseconds: Self.window)
    }
    let url = servers.channel(at: 0)
    let client = try servers.open(servers.user(at: 1), on: 1)
    _ = try client.call("channel.create", #""channel_url":"\#(url)""#)
    _ = try client.enter(url)
    #expect(try client.say("one", in: url).contains(#""result""#))

    let services = servers.servers[1].services
    let (isHeld, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let sentAt = Mutex<Int64>(0)
    // The last message of the old home, which the new one has already asked to follow.
    services.store.write { transaction in
      isHeld.signal()
      gate.wait()
      try transaction.connection.execute(
        "UPDATE messages SET created_at = ?1", [sentAt.withLock(\.self)])
    } completion: { _ in
    }
    try Deadline.standard.wait(for: "the writer to be held", on: isHeld)
    servers.keep([1])
    servers.settle()
    let end = services.clock.now + Self.delay
    while services.clock.now < end {}
    sentAt.withLock { $0 = end }
    gate.signal()

    let reply = try client.say("two", in: url)
    let match = try #require(reply.firstMatch(of: /"retry_after_ms":([0-9]+)/), "\(reply)")
    let wait = try #require(Int64(match.1))
    #expect(services.clock.now + wait >= end + Self.window)
  }
}
