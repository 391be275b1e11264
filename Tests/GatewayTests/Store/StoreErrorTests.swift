import ParleyProtocol
import Store
import Testing

@testable import Gateway

@Suite("Errors of the store as answers")
struct StoreErrorTests {
  @Test("a commit that broke off leaves the outcome unknown, and any other failure does not")
  func outcomes() {
    let unknown = ServiceError(StoreError.unknown(reason: "the connection broke off"))
    #expect(unknown.code == .internalError && unknown.data.outcome == "unknown")
    #expect(!unknown.message.contains("nothing was changed"))
    let failure = ServiceError(StoreError.unavailable(reason: "the disk is full"))
    #expect(failure.code == .internalError && failure.data.outcome == nil)
  }
}
