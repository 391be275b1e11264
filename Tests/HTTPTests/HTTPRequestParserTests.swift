import HTTP
import TestSupport
import Testing

@Suite("A request parser")
struct HTTPRequestParserTests {
  private enum Outcome: Equatable, Sendable {
    case event(HTTPRequestEvent)
    case error(UInt16)
  }

  /// Feeds pieces as a driver does: the rest again after each event.
  private static func decoder(_ limits: HTTPLimits = HTTPLimits()) -> ([UInt8]) -> [Outcome] {
    var parser = HTTPRequestParser(limits: limits)
    var isDone = false
    return { piece in
      var outcomes: [Outcome] = []
      var offset = 0
      while !isDone {
        do throws(HTTPError) {
          let (consumed, event) = try parser.receive(piece.span.extracting(offset...))
          offset += consumed
          guard let event else { break }
          outcomes.append(.event(event))
        } catch {
          isDone = true
          outcomes.append(.error(error.status.code))
        }
      }
      return outcomes
    }
  }

  private func status(_ text: String, limits: HTTPLimits = HTTPLimits()) -> UInt16? {
    for case .error(let code) in Self.decoder(limits)(Array(text.utf8)) { return code }
    return nil
  }

  private func bodies(_ text: String) -> [String] {
    Self.decoder()(Array(text.utf8)).map {
      switch $0 {
      case .event(.request(let request)): String(decoding: request.body, as: UTF8.self)
      case .event(.expectsContinue): "(continue)"
      case .event(.head), .event(.piece), .event(.bodyEnd): "(piece)"
      case .error(let code): "(\(code))"
      }
    }
  }

  private static func request(
    _ method: String, _ target: String, _ fields: HTTPFields, _ body: String = ""
  ) -> Outcome {
    let head = HTTPRequestHead(method: method, target: target, fields: fields)
    return .event(.request(HTTPRequest(head: head, body: Array(body.utf8))))
  }

  @Test("finds the same requests however they are split, and when pipelined")
  func splits() {
    typealias Verifier = DecoderVerifier<Outcome>
    let cases = [
      Verifier.Case(
        Array("GET /a?b HTTP/1.1\r\nHost: h\r\nX:  y z \t\r\n\r\n".utf8),
        [Self.request("GET", "/a?b", ["Host": "h", "X": "y z"])]),
      Verifier.Case(
        Array("\r\nPOST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello".utf8),
        [Self.request("POST", "/", ["Host": "h", "Content-Length": "5"], "hello")]),
      Verifier.Case(
        Array(
          ("PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
            + "5\r\nhello\r\nA;x=\"y\"\r\n, 90123456\r\n0\r\nT: u\r\n\r\n").utf8),
        [
          Self.request(
            "PUT", "/", ["Host": "h", "Transfer-Encoding": "Chunked"], "hello, 90123456")
        ]),
      Verifier.Case(
        Array(
          "POST /e HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n!".utf8),
        [
          .event(.expectsContinue),
          Self.request(
            "POST", "/e", ["Host": "h", "Expect": "100-Continue", "Content-Length": "1"], "!"),
        ]),
      Verifier.Case(Array("GET / HTTP/1.1\r\nHost : h\r\n\r\n".utf8), [.error(400)]),
    ]
    let verifier = Verifier { Self.decoder() }
    #expect(verifier.failures(cases) == [])
    #expect(verifier.failuresJoined(cases) == [])
  }

  @Test("fuzzing seed inputs are parsed the same way however they are split")
  func corpus() throws {
    let inputs = try FuzzCorpus.inputs(of: "HTTPRequestParser")
    #expect(!inputs.isEmpty)
    for input in inputs {
      let stream = Array(input.dropFirst())
      let outcomes = Self.decoder()(stream)
      #expect(!outcomes.isEmpty)
      let verifier = DecoderVerifier { Self.decoder() }
      #expect(verifier.failures([DecoderVerifier.Case(stream, outcomes)]) == [])
    }
  }

  @Test("leaves the bytes after a request untouched")
  func upgrade() throws {
    let bytes = Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
    var parser = HTTPRequestParser()
    let (consumed, event) = try parser.receive((bytes + [0x81, 0x00, 0x0A]).span)
    #expect(consumed == bytes.count)
    #expect(event != nil)
  }

  @Test(
    "refuses malformed request lines with 400, other versions with 505",
    arguments: [
      ("GET /\r\n", 400), ("GET  / HTTP/1.1\r\n", 400), ("G(T / HTTP/1.1\r\n", 400),
      ("GET / HTTP/1.1 \r\n", 400), ("GET / http/1.1\r\n", 400), ("GET / HTTP/11\r\n", 400),
      ("GET a HTTP/1.1\r\n", 400), ("GET /a#b HTTP/1.1\r\n", 400),
      ("GET /\u{e9} HTTP/1.1\r\n", 400),
      ("GET ftp://h/ HTTP/1.1\r\n", 400), ("GET * HTTP/1.1\r\n", 400),
      ("GET / HTTP/2.0\r\n", 505), ("GET / HTTP/1.2\r\n", 505), ("GET / HTTP/0.9\r\n", 505),
      ("\u{16}\u{3}\u{1}", 400), ("PRI * HTTP/2.0\r\n", 505),
    ] as [(String, UInt16)])
  func requestLine(line: String, code: UInt16) {
    let expected = code == 505 && line.hasPrefix("PRI") ? 505 : code
    #expect(status(line + "Host: h\r\n\r\n") == expected)
  }

  @Test(
    "accepts every form of target for its methods",
    arguments: ["GET /", "OPTIONS *", "GET http://h/x", "CONNECT h:443", "GET WS://h"])
  func targets(start: String) {
    #expect(status(start + " HTTP/1.1\r\nHost: h\r\n\r\n") == nil)
  }

  @Test(
    "refuses fields that parsers interpret differently (RFC 9112 §5, §11.2)",
    arguments: [
      "Host: h\r\n folded\r\n", "Host: h\r\nA : b\r\n", "Host: h\r\n: b\r\n", "Host: h\r\nA\r\n",
      "Host: h\nA: b\r\n", "Host: h\r\nA: b\rc\r\n", "Host: h\r\nA: b\0\r\n",
      "Host: h\r\nA: b\u{7F}\r\n", "Host: h\r\nHost: h\r\n", "Host: a b\r\n", "Host: h/\r\n",
      "A: b\r\n",
    ])
  func fields(lines: String) {
    #expect(status("GET / HTTP/1.1\r\n\(lines)\r\n") == 400)
  }

  @Test("does not require Host in HTTP/1.0")
  func oldVersion() {
    #expect(bodies("GET / HTTP/1.0\r\n\r\n") == [""])
  }

  @Test(
    "refuses ambiguous or unknown body framing (RFC 9112 §6)",
    arguments: [
      ("Content-Length: 1\r\nTransfer-Encoding: chunked", 400),
      ("Transfer-Encoding: chunked\r\nContent-Length: 1", 400),
      ("Content-Length: 1\r\nContent-Length: 2", 400), ("Content-Length: 1, 2", 400),
      ("Content-Length: +1", 400), ("Content-Length: -1", 400), ("Content-Length: 0x1", 400),
      ("Content-Length:", 400), ("Content-Length: 1,", 400), ("Content-Length: 1 1", 400),
      ("Content-Length: 99999999999999999999", 413), ("Content-Length: 1048577", 413),
      ("Transfer-Encoding: gzip, chunked", 501), ("Transfer-Encoding: gzip", 501),
      ("Transfer-Encoding: chunked, chunked", 400), ("Transfer-Encoding:", 400),
      ("Transfer-Encoding: xchunked", 501), ("Expect: tea", 417),
    ] as [(String, UInt16)])
  func framing(lines: String, code: UInt16) {
    #expect(status("POST / HTTP/1.1\r\nHost: h\r\n\(lines)\r\n\r\n") == code)
  }

  @Test("accepts identical Content-Length values as one")
  func repeatedLength() {
    let text = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Length: 2, 2\r\n\r\nab"
    #expect(bodies(text) == ["ab"])
  }

  @Test("refuses transfer codings in HTTP/1.0")
  func oldChunked() {
    #expect(status("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n") == 400)
  }

  @Test(
    "refuses malformed chunks",
    arguments: [
      ("\r\n", 400), ("x\r\n", 400), ("-1\r\n", 400), ("+1\r\n", 400), ("1 \r\na\r\n", 400),
      ("1\na\r\n", 400), ("1\r\nab\r\n", 400), ("1\r\na\n", 400), ("0x1\r\n", 400),
      ("11111111111111111\r\n", 400), ("FFFFFFFFFFFFFFFF\r\n", 413), ("100001\r\n", 413),
      ("0\r\nbad trailer\r\n\r\n", 400), ("1;\(String(repeating: "x", count: 255))\r\n", 400),
    ] as [(String, UInt16)])
  func chunks(body: String, code: UInt16) {
    let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(status(head + body) == code)
  }

  @Test("limits the body, the extensions and the trailers of a chunked body together")
  func chunkedLimits() {
    let limits = HTTPLimits(headBytes: 100, fieldCount: 3, bodyBytes: 40)
    let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    let large = String(repeating: "5\r\nhello\r\n", count: 9)
    #expect(status(head + large, limits: limits) == 413)
    let extensions = String(repeating: "1;\(String(repeating: "x", count: 40))\r\na\r\n", count: 4)
    #expect(status(head + extensions, limits: limits) == 400)
    #expect(status(head + "0\r\nA: b\r\nA: b\r\nA: b\r\nA: b\r\n", limits: limits) == 431)
    #expect(
      status(head + "0\r\n" + String(repeating: "A", count: 101), limits: limits) == 400)
  }

  @Test("limits the request line (414), the head (431) and the number of fields (431)")
  func headLimits() {
    let long = String(repeating: "a", count: 12_300)
    #expect(status("GET /\(long)") == 414)
    #expect(status("\(long)") == 400)
    #expect(status("GET / HTTP/1.1\r\nA: \(long)\r\nB: \(long)") == 431)
    let many = String(repeating: "A: b\r\n", count: 101)
    #expect(status("GET / HTTP/1.1\r\n\(many)") == 431)
    #expect(status(String(repeating: "\r\n", count: 9000)) != nil)
  }

  @Test("is idle before the first byte of a request and after its last")
  func idle() throws {
    let bytes = Array("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\na".utf8)
    var parser = HTTPRequestParser()
    for index in bytes.indices {
      #expect(parser.isIdle == (index == 0))
      _ = try parser.receive([bytes[index]].span)
    }
    #expect(parser.isIdle)
  }

  @Test("keeps refusing after an error")
  func failed() throws {
    var parser = HTTPRequestParser()
    #expect(throws: HTTPError.self) { _ = try parser.receive([0].span) }
    let good = Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
    #expect(throws: HTTPError.self) { _ = try parser.receive(good.span) }
  }

  @Test("parses serialized requests unchanged", arguments: UInt64(1)...50)
  func roundTrip(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var stream: [UInt8] = []
    var expected: [Outcome] = []
    for index in 0..<5 {
      var head = HTTPRequestHead(method: "POST", target: "/\(index)?q", fields: ["Host": "h"])
      let body = generator.bytes(Int.random(in: 1...200, using: &generator))
      head.fields["Content-Length"] = String(body.count)
      let request = HTTPRequest(head: head, body: body)
      request.serialize(into: &stream)
      expected.append(.event(.request(request)))
    }
    let decode = Self.decoder()
    #expect(generator.pieces(of: stream).flatMap(decode) == expected)
  }

  @Test("answers random bytes with a documented status", arguments: UInt64(1)...300)
  func garbage(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var bytes = Array(
      "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n".utf8)
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      bytes[place] = UInt8.random(in: 0...255, using: &generator)
    }
    let documented: Set<UInt16> = [400, 413, 414, 417, 431, 501, 505]
    for case .error(let code) in Self.decoder()(bytes) { #expect(documented.contains(code)) }
  }
}
