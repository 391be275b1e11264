import Configuration
import Glibc
import Reactor
import Testing

@testable import Daemon

@Suite("Exit status of a daemon")
struct ExitStatusTests {
  private struct Refusal: Error {}

  @Test("an unusable setting is a configuration error; any other failure may be temporary")
  func starts() {
    let wrong = UnusableSetting("store.url", reason: Refusal())
    #expect(DaemonProcess.status(of: wrong) == EX_CONFIG)
    #expect(DaemonProcess.status(of: Refusal()) == EX_UNAVAILABLE)
  }
}
