import Configuration
import Glibc
import Reactor
import Testing

@testable import Daemon

@Suite("Exit status of a daemon")
struct ExitStatusTests {
  private struct Refusal: Error {}

  @Test("a setting that cannot be put to use is a wrong setting; anything else may pass")
  func starts() {
    let wrong = UnusableSetting("store.url", reason: Refusal())
    #expect(DaemonProcess.status(of: wrong) == EX_CONFIG)
    #expect(DaemonProcess.status(of: Refusal()) == EX_UNAVAILABLE)
  }
}
