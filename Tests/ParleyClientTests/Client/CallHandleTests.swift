import Testing

@testable import ParleyClient

@Suite("A call and its task")
struct CallHandleTests {
  private let id = EngineCallID(number: 7)

  @Test("that is cancelled later gives up the call that has begun")
  func later() {
    let handle = CallHandle()
    #expect(handle.begin(id) == .waiting)
    #expect(handle.cancel() == id)
    #expect(handle.cancel() == nil)
  }

  @Test("that is cancelled before leaves it to the one who begins")
  func before() {
    let handle = CallHandle()
    #expect(handle.cancel() == nil)
    #expect(handle.begin(id) == .cancelled)
  }

  @Test("have names that differ, and are short enough for the protocol")
  func requestIDs() {
    let (one, other) = (RequestIDs(), RequestIDs())
    let names = (0..<100).flatMap { _ in [one.next(), other.next()] }
    #expect(Set(names).count == 200)
    #expect(names.allSatisfy { $0.count <= 64 })
  }
}
