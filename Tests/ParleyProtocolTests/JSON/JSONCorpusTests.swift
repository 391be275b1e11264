import ParleyProtocol
import TestSupport
import Testing

@Suite("The fuzzer's corpus")
struct JSONCorpusTests {
  @Test("is not empty")
  func exists() throws {
    #expect(try !FuzzCorpus.inputs(of: "JSONDocument").isEmpty)
  }

  @Test("each text is JSON, and is read or refused as a request when truncated")
  func replay() throws {
    for bytes in try FuzzCorpus.inputs(of: "JSONDocument") {
      _ = try JSONDocument(bytes)
      for count in 0..<bytes.count { expectRefusal(of: Array(bytes.prefix(count))) }
    }
  }

  private func expectRefusal(of bytes: [UInt8]) {
    #expect(throws: JSONError.self) { try JSONDocument(bytes) }
    switch RPCInput(bytes) {
    case .malformed(let error), .single(.invalid(_, let error)): #expect(error.code == .parseError)
    case .batch(let calls):
      for case .request in calls { Issue.record("a text cut short was accepted") }
    case .single(.request): Issue.record("a text cut short was accepted")
    }
  }
}
