import CCurl
import Curl
import Dispatch
import Reactor
import Synchronization
import Testing

@testable import PushDelivery

@Suite struct PushDoorTests {
  /// Answers of the store come while the thread that asked for them is still being started.
  @Test func keepsWhatIsPostedDuringTheStart() async throws {
    let door = PushDoor()
    let received = Received()
    let accepted = DispatchSemaphore(value: 0)
    let isAccepted = Mutex(false)
    let thread = try door.open {
      let thread = try CurlThread(name: "push", priority: .normal, maximumConnections: 1) {
        (_: CurlLoop<PushTransfer>) in Listener(received)
      }
      let poster = try Reactor.Thread(name: "poster") {
        isAccepted.withLock { $0 = door.post(.didNotClear) }
        accepted.signal()
      }
      _ = poster
      // Without the lock the request would be refused during this time.
      _ = accepted.wait(timeout: .now() + .milliseconds(50))
      return thread
    }
    accepted.wait()
    #expect(isAccepted.withLock { $0 })
    received.wait()
    thread.stop()
  }
}

private final class Received: Sendable {
  private let one = DispatchSemaphore(value: 0)

  func note() { one.signal() }
  func wait() { one.wait() }
}

private final class Listener: CurlLoopOwner {
  private let received: Received

  init(_ received: Received) { self.received = received }

  func receive(_ request: PushLoopRequest) { received.note() }
  func startTransfers() -> ContinuousClock.Instant? { nil }
  func didEnd(_ transfer: PushTransfer, _ result: CURLcode) {}
  func stop() {}
}
