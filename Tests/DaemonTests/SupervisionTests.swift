import Configuration
import Logging
import TestSupport
import Testing

@testable import Daemon

@Suite("Supervision", .onOwnThreads)
struct SupervisionTests {
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  @Test("the notices: ready, reloading with its time, ready with its outcome, stopping")
  func life() throws {
    let receiver = try DatagramReceiver(DatagramReceiver.abstractName())
    let supervision = Supervision(environment: ["NOTIFY_SOCKET": receiver.name], logger: logger)
    supervision.didStart(FakeDaemon())
    #expect(try receiver.next().hasPrefix("READY=1\n"))
    supervision.reloading {
      let told = receiver.waiting() ?? ""
      #expect(told.hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
      return .refused
    }
    #expect(try receiver.next().hasPrefix("READY=1\nSTATUS=serving with the previous settings"))
    supervision.isStopping()
    #expect(try receiver.next().hasPrefix("STOPPING=1\n"))
    #expect(receiver.waiting() == nil)
  }

  @Test("with a watchdog, keep-alive notices are sent while the event loops respond")
  func watched() throws {
    let receiver = try DatagramReceiver(DatagramReceiver.abstractName())
    let environment = ["NOTIFY_SOCKET": receiver.name, "WATCHDOG_USEC": "200000"]
    Supervision(environment: environment, logger: logger).didStart(LivelyDaemon())
    #expect(try receiver.next().hasPrefix("READY=1\n"))
    for _ in 0..<3 { #expect(try receiver.next() == "WATCHDOG=1") }
  }

  @Test("with a watchdog, a waiting restart sends keep-alive notices once a daemon has run")
  func waits() throws {
    let receiver = try DatagramReceiver(DatagramReceiver.abstractName())
    let environment = ["NOTIFY_SOCKET": receiver.name, "WATCHDOG_USEC": "3600000000"]
    let supervision = Supervision(environment: environment, logger: logger)
    supervision.isWaiting(for: "PostgreSQL")
    #expect(try receiver.next().hasPrefix("EXTEND_TIMEOUT_USEC="))
    #expect(receiver.waiting() == nil)
    supervision.didStart(FakeDaemon())
    supervision.didEnd()
    #expect(try receiver.next().hasPrefix("READY=1\n"))
    supervision.isWaiting(for: "the bus")
    #expect(try receiver.next().hasPrefix("EXTEND_TIMEOUT_USEC="))
    #expect(try receiver.next() == "WATCHDOG=1")
  }

  @Test("without a supervisor no notice is sent, and an unusable address is not fatal")
  func alone() {
    for environment in [[:], ["NOTIFY_SOCKET": "vsock:2:1"], ["WATCHDOG_USEC": "1"]] {
      let supervision = Supervision(environment: environment, logger: logger)
      supervision.didStart(FakeDaemon())
      supervision.reloading { .refused }
      supervision.isStopping()
    }
  }
}
