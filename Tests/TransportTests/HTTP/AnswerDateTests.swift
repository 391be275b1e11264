import TestSupport
import Testing

@testable import Transport

@Suite("The Date field of responses", .onOwnThreads)
struct AnswerDateTests {
  @Test("follows the clock by whole seconds, in either direction")
  func date() {
    var date = AnswerDate()
    #expect(date.text(at: 784_111_777_999) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(date.text(at: 784_111_777_000) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(date.text(at: 784_111_778_000) == "Sun, 06 Nov 1994 08:49:38 GMT")
    #expect(date.text(at: 0) == "Thu, 01 Jan 1970 00:00:00 GMT")
  }

  @Test("is in every response once", arguments: ["GET / HTTP/1.1", "HEAD / HTTP/1.0", "nonsense"])
  func answers(line: String) throws {
    var configuration = TransportConfiguration()
    configuration.clock = { 784_111_777_000 }
    let server = try LoopServer(configuration)
    let client = try BlockingClient(server.address)
    try client.write("\(line)\r\nHost: a\r\n\r\n")
    let head = try client.readHead()
    #expect(head.split(separator: "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n").count == 2, "\(head)")
  }
}
