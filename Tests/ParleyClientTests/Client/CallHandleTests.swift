import Testing

@testable import ParleyClient

@Suite("A call and its task")
struct CallHandleTests {
  private let id = EngineCallID(number: 7)

  @Test("a task cancelled after the call has begun cancels the call")
  func later() {
    let handle = CallHandle()
    #expect(handle.begin(id) == .waiting)
    #expect(handle.cancel() == id)
    #expect(handle.cancel() == nil)
  }

  @Test("a task cancelled before the call begins reports the cancellation when it begins")
  func before() {
    let handle = CallHandle()
    #expect(handle.cancel() == nil)
    #expect(handle.begin(id) == .cancelled)
  }

  @Test("request IDs are unique, and short enough for the protocol")
  func requestIDs() {
    let (one, other) = (RequestIDs(), RequestIDs())
    let names = (0..<100).flatMap { _ in [one.next(), other.next()] }
    #expect(Set(names).count == 200)
    #expect(names.allSatisfy { $0.count <= 64 })
  }
}
