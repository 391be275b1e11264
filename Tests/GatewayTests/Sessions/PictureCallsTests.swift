import Channels
import ParleyProtocol
import Testing

@testable import Gateway

@Suite("Calls that convert files to pictures")
struct PictureCallsTests {
  private func address(_ number: Int, of session: Int = 1) -> ReplyAddress {
    ReplyAddress(
      session: .sample(session), ticket: CallTicket(unit: number, index: 0), id: nil, isPaid: true)
  }

  @Test("a refused call returns its file once; a successful one keeps it")
  func givesBack() {
    var calls = PictureCalls()
    calls.begin(address(1), with: "a")
    calls.begin(address(2), with: "b")
    calls.begin(address(1, of: 2), with: "c")
    #expect(calls.end(address(3), with: .failure(.internalError)) == nil)
    #expect(calls.end(address(1), with: .failure(.notAllowed("no operator"))) == "a")
    #expect(calls.end(address(1), with: .failure(.notAllowed("no operator"))) == nil)
    #expect(calls.end(address(2), with: .empty) == nil)
    #expect(calls.end(address(1, of: 2), with: .failure(.internalError)) == "c")
    #expect(calls.count == 0)
  }

  @Test("a call with an unknown outcome keeps its file")
  func keepsWhatIsUnknown() {
    var calls = PictureCalls()
    let unknown = ServiceError(
      .internalError, "no answer came", data: ErrorDetails(outcome: "unknown"))
    for error in [unknown, .moved] {
      calls.begin(address(1), with: "a")
      #expect(calls.end(address(1), with: .failure(error)) == nil)
    }
    #expect(calls.count == 0)
  }
}
