import ClientSockets
import TestPeers
import TestSupport
import Testing

@testable import ClientTransport
@testable import ParleyClient

@Suite("A request over a connection of its own", .onOwnThreads)
struct RequestFlightTests {
  @Test("leaves nothing behind when its cancellation reaches the loop first")
  func cancelledFirst() async throws {
    let loop = try ClientLoop()
    let plan = try ConnectionPlan(EngineConfiguration(serverURL: "ws://127.0.0.1:1"))
      .toRequest("http://127.0.0.1:1/")
    weak var remains: RequestFlight?
    do {
      let flight = RequestFlight()
      remains = flight
      flight.cancel(on: loop)
      let outcome = await withCheckedContinuation { waiter in
        flight.begin(ClientRequest("HEAD"), by: plan, on: loop, waiter)
      }
      #expect(throws: ConnectionFailure(.lost, "the request was cancelled")) { try outcome.get() }
    }
    try await Deadline.standard.wait(for: "the end of the request") { remains == nil }
  }
}
