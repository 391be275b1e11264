import HTTP
import TestSupport
import Testing

@Suite("A response parser")
struct HTTPResponseParserTests {
  private func response(
    _ text: String, answering kind: HTTPRequestKind = .other
  ) throws -> (response: HTTPResponse?, rest: String) {
    var parser = HTTPResponseParser(answering: kind)
    let bytes = Array(text.utf8)
    let (consumed, response) = try parser.receive(bytes.span)
    return (response, String(decoding: bytes[consumed...], as: UTF8.self))
  }

  @Test("reads a body by its length and leaves the bytes after it")
  func length() throws {
    let (response, rest) = try response("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc")
    #expect(response?.status == .ok)
    #expect(response?.body == Array("ab".utf8))
    #expect(rest == "c")
  }

  @Test("finds the same response however it is split")
  func splits() {
    typealias Verifier = DecoderVerifier<HTTPResponse>
    let text = "HTTP/1.1 100 \r\n\r\nHTTP/1.1 404 Not here\r\nTransfer-Encoding: chunked\r\n\r\n"
    let expected = HTTPResponse(
      status: .notFound, fields: ["Transfer-Encoding": "chunked"], body: Array("abc".utf8))
    let verifier = Verifier {
      var parser = HTTPResponseParser()
      return { piece in
        var found: [HTTPResponse] = []
        var offset = 0
        while let (consumed, response) = try? parser.receive(piece.span.extracting(offset...)),
          let response
        {
          offset += consumed
          found.append(response)
        }
        return found
      }
    }
    let input = Array((text + "2\r\nab\r\n1\r\nc\r\n0\r\n\r\n").utf8)
    #expect(verifier.failures([Verifier.Case(input, [expected])]) == [])
  }

  @Test("101 ends HTTP on the connection")
  func switching() throws {
    let (response, rest) = try response("HTTP/1.1 101 x\r\nUpgrade: websocket\r\n\r\n\u{1}")
    #expect(response?.status == .switchingProtocols)
    #expect(rest == "\u{1}")
  }

  @Test("the response to HEAD has no body whatever its length")
  func head() throws {
    let (response, rest) = try response(
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", answering: .head)
    #expect(response?.body == [])
    #expect(rest == "ab")
  }

  @Test("without a length the body ends with the connection")
  func untilEnd() throws {
    var parser = HTTPResponseParser()
    let (consumed, response) = try parser.receive(Array("HTTP/1.0 200 OK\r\n\r\nab".utf8).span)
    #expect(consumed == 21)
    #expect(response == nil)
    let whole = try parser.receiveEnd()
    #expect(whole?.body == Array("ab".utf8))
    #expect(whole?.shouldKeepAlive == false)
    #expect(try parser.receiveEnd() == nil)
  }

  @Test("the body can be taken in pieces while it arrives, beyond any buffer")
  func pieces() throws {
    var parser = HTTPResponseParser(limits: HTTPLimits(bodyBytes: .max))
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(parser.head == nil && parser.takePiece() == [])
    _ = try parser.receive(Array((head + "3\r\nab").utf8).span)
    #expect(parser.head?.status == .ok && parser.head?.body == [])
    #expect(parser.takePiece() == Array("ab".utf8) && parser.takePiece() == [])
    let response = try parser.receive(Array("c\r\n1\r\nd\r\n0\r\n\r\n".utf8).span).response
    #expect(response?.body == Array("cd".utf8) && parser.head == nil)
  }

  @Test("a connection that ends within a response is an error")
  func cutOff() throws {
    for text in ["HTTP/1.1 2", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"] {
      var parser = HTTPResponseParser()
      _ = try parser.receive(Array(text.utf8).span)
      #expect(throws: HTTPError.self) { try parser.receiveEnd() }
    }
  }

  @Test(
    "refuses malformed status lines",
    arguments: ["HTTP/1.1 20 OK", "HTTP/1.1 099 x", "HTTP/2.0 200 OK", "ICY 200 OK", "HTTP/1.1"])
  func statusLine(line: String) {
    #expect(throws: HTTPError.self) { try response(line + "\r\n\r\n") }
  }
}
