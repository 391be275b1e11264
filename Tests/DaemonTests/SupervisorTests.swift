import TestSupport
import Testing

@testable import Daemon

@Suite("Supervisor", .onOwnThreads)
struct SupervisorTests {
  @Test(
    "a notice arrives as one datagram, over a path and over an abstract address",
    arguments: [DatagramReceiver.path(), DatagramReceiver.abstractName()])
  func arrives(name: String) throws {
    let receiver = try DatagramReceiver(name)
    let supervisor = try #require(Supervisor(environment: ["NOTIFY_SOCKET": name]))
    try supervisor.notify(.ready)
    try supervisor.notify(.alive)
    #expect(try receiver.next() == "READY=1\nSTATUS=serving")
    #expect(try receiver.next() == "WATCHDOG=1")
    #expect(receiver.waiting() == nil)
  }

  @Test(
    "an invalid local socket address is no supervisor",
    arguments: [
      "", "/", "@", "relative", "vsock:2:1234", "/a\0b", "@" + String(repeating: "x", count: 108),
      "/" + String(repeating: "x", count: 107),
    ])
  func unusable(text: String) {
    #expect(Supervisor(environment: ["NOTIFY_SOCKET": text]) == nil)
  }

  @Test("addresses of the maximum length are accepted")
  func longest() throws {
    let name = DatagramReceiver.abstractName()
    let longest = name + String(repeating: "x", count: 108 - name.utf8.count)
    let receiver = try DatagramReceiver(longest)
    try #require(Supervisor(environment: ["NOTIFY_SOCKET": longest])).notify(.stopping)
    #expect(try receiver.next().hasPrefix("STOPPING=1"))
    #expect(NotifySocketAddress("/" + String(repeating: "x", count: 106)) != nil)
  }

  @Test("without NOTIFY_SOCKET there is no supervisor")
  func absent() {
    #expect(Supervisor(environment: [:]) == nil)
  }

  @Test("a missing supervisor is an error that names the variable")
  func gone() throws {
    let name = DatagramReceiver.path()
    let supervisor = try #require(Supervisor(environment: ["NOTIFY_SOCKET": name]))
    let error = #expect(throws: (any Error).self) { try supervisor.notify(.ready) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("NOTIFY_SOCKET"))
  }
}
