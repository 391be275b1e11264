import CCurl
import Reactor
import Synchronization
import TestPeers
import TestSupport
import Testing

@testable import Curl

@Suite("Blocking libcurl client", .onOwnThreads)
struct CurlClientTests {
  private func get(
    _ client: CurlClient, _ url: String, maximumBytes: Int = 1000,
    _ configure: (CurlEasy) -> Void = { _ in }
  ) -> Result<CurlClient.Response, CurlClient.Failure> {
    client.perform(maximumBytes: maximumBytes) { easy in
      easy.set(CURLOPT_URL, to: url)
      configure(easy)
    }
  }

  private func failure(
    _ result: Result<CurlClient.Response, CurlClient.Failure>
  ) throws -> CurlClient.Failure {
    switch result {
    case .success(let response):
      throw TestFailure("status \(response.status), where a failure was expected")
    case .failure(let failure): return failure
    }
  }

  @Test("requests reuse one connection, and each response has its own body")
  func reusesItsConnection() throws {
    let server = try AnswerServer {
      .bytes(AnswerServer.response(String($0.prefix(6)), status: 418))
    }
    defer { server.stop() }
    let client = try CurlClient()
    for path in ["/a", "/b", "/c"] {
      let response = try get(client, server.url(path)).get()
      #expect(response.status == 418)
      #expect(response.body == Array("GET \(path)".utf8))
    }
    #expect(server.connectionCount == 1)
  }

  @Test("options of one request do not carry over to the next")
  func forgetsOptions() throws {
    let server = try AnswerServer(body: "")
    defer { server.stop() }
    let client = try CurlClient()
    _ = try get(client, server.url()) { $0.post(Array("the body".utf8)) }.get()
    _ = try get(client, server.url()).get()
    #expect(server.requests.map { $0.prefix(4) } == ["POST", "GET "])
    #expect(server.requests[0].hasSuffix("\r\n\r\nthe body"))
    #expect(server.requests[1].hasSuffix("\r\n\r\n"))
  }

  @Test("a body of the maximum size is read, a larger one fails, and the next request succeeds")
  func boundsBodies() throws {
    let server = try AnswerServer {
      let count = $0.hasPrefix("GET /large") ? 101 : 100
      return .bytes(AnswerServer.response(String(repeating: "x", count: count)))
    }
    defer { server.stop() }
    let client = try CurlClient()
    #expect(try get(client, server.url("/fits"), maximumBytes: 100).get().body.count == 100)
    let large = try failure(get(client, server.url("/large"), maximumBytes: 100))
    #expect(large.result == CURLE_WRITE_ERROR)
    #expect(try get(client, server.url("/fits"), maximumBytes: 100).get().body.count == 100)
  }

  @Test("a refused connection is reported with a readable error")
  func isRefused() throws {
    let any = try #require(SocketAddress(host: "127.0.0.1", port: 0))
    let listener = try Socket.listen(on: any)
    let port = try SocketAddress(boundTo: listener).port
    Socket.close(listener)
    let refused = try failure(get(try CurlClient(), "http://127.0.0.1:\(port)/"))
    #expect(refused.result == CURLE_COULDNT_CONNECT)
    #expect(refused.reason.contains("\(port)"))
    #expect(!refused.isUntrusted)
  }

  @Test("a server that does not respond times out at the deadline")
  func timesOut() throws {
    let server = try AnswerServer { _ in .silence }
    defer { server.stop() }
    let late = try failure(
      get(try CurlClient(), server.url()) { $0.setDeadline(.now.advanced(by: .milliseconds(50))) })
    #expect(late.result == CURLE_OPERATION_TIMEDOUT)
    try Deadline.standard.wait(for: "the end of the connection") { server.openCount == 0 }
  }

  @Test("a deadline in the past means no time, not unlimited time")
  func hasNoTime() throws {
    let server = try AnswerServer { _ in .silence }
    defer { server.stop() }
    let late = try failure(
      get(try CurlClient(), server.url()) { $0.setDeadline(.now.advanced(by: .seconds(-5))) })
    #expect(late.result == CURLE_OPERATION_TIMEDOUT)
  }

  @Test("a truncated response fails")
  func seesCuts() throws {
    let server = try AnswerServer { _ in .bytes("HTTP/1.1 200 x\r\nConnection: close\r\n") }
    defer { server.stop() }
    let cut = try failure(
      get(try CurlClient(), server.url()) { $0.setDeadline(.now.advanced(by: .seconds(1))) })
    #expect([CURLE_OPERATION_TIMEDOUT, CURLE_RECV_ERROR, CURLE_GOT_NOTHING].contains(cut.result))
  }

  @Test("the default options apply to every request", arguments: [1, 2])
  func keepsRules(_ round: Int) throws {
    let server = try AnswerServer { _ in
      .bytes("HTTP/1.1 302 x\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")
    }
    defer { server.stop() }
    let client = try CurlClient()
    for _ in 0..<round {
      #expect(try get(client, server.url()).get().status == 302)
      let file = try failure(get(client, "file:///etc/hostname"))
      #expect(file.result == CURLE_UNSUPPORTED_PROTOCOL)
      let named = try failure(get(client, "http://ada:secret@127.0.0.1:\(server.port)/"))
      #expect(named.result == CURLE_LOGIN_DENIED || named.result == CURLE_URL_MALFORMAT)
    }
    #expect(server.requests.count == round)
  }

  @Test("a configuration error is thrown, and no request is sent")
  func passesErrorsOn() throws {
    let server = try AnswerServer(body: "")
    defer { server.stop() }
    let client = try CurlClient()
    #expect(throws: TestFailure.self) {
      _ = try client.perform(maximumBytes: 10) { _ throws(TestFailure) in
        throw TestFailure("no such file")
      }
    }
    #expect(server.connectionCount == 0)
  }
}
