import ParleyProtocol
import Store
import Testing

@testable import Gateway

@Suite("Responses to store errors")
struct StoreErrorTests {
  @Test("only an interrupted commit has an unknown outcome, other failures do not")
  func outcomes() {
    let unknown = ServiceError(StoreError.unknown(reason: "the connection broke off"))
    #expect(unknown.code == .internalError && unknown.data.outcome == "unknown")
    #expect(!unknown.message.contains("nothing was changed"))
    let failure = ServiceError(StoreError.unavailable(reason: "the disk is full"))
    #expect(failure.code == .internalError && failure.data.outcome == nil)
  }
}
