import HTTP
import TestSupport
import Testing

@Suite("A multipart parser")
struct MultipartParserTests {
  private enum Outcome: Equatable, Sendable {
    case event(MultipartEvent)
    case error(UInt16)
  }

  /// Joins the bytes of each part again.
  private static func outcomes(
    _ pieces: [[UInt8]], boundary: String = "b", limits: MultipartLimits = MultipartLimits()
  ) throws -> [Outcome] {
    var parser = MultipartParser(
      boundary: try #require(MultipartBoundary(boundary)), limits: limits)
    var outcomes: [Outcome] = []
    do throws(HTTPError) {
      for piece in pieces {
        var rest = piece.span
        while true {
          let (consumed, event) = try parser.receive(rest)
          rest = rest.extracting(consumed...)
          guard let event else { break }
          if case .bytes(let bytes) = event, case .event(.bytes(let before)) = outcomes.last {
            outcomes[outcomes.count - 1] = .event(.bytes(before + bytes))
          } else {
            outcomes.append(.event(event))
          }
        }
      }
    } catch {
      outcomes.append(.error(error.status.code))
    }
    return outcomes
  }

  private static func outcomes(_ text: String) throws -> [Outcome] {
    try outcomes([Array(text.utf8)])
  }

  private static func part(_ part: MultipartPart, _ text: String) -> [Outcome] {
    let content: [Outcome] = text.isEmpty ? [] : [.event(.bytes(Array(text.utf8)))]
    return [.event(.part(part))] + content + [.event(.partEnd)]
  }

  private static let form =
    "a preamble\r\n--b\r\nContent-Disposition: form-data; name=\"user_id\"\r\n\r\nada"
    + "\r\n--b  \r\nContent-Disposition: form-data; name=empty\r\n\r\n"
    + "\r\n--b\r\ncontent-type: image/png\r\n"
    + "Content-Disposition: form-data; name=\"file\"; filename=\"a b.png\"\r\n\r\n"
    + "\r\r\n-\r\n--\r\n--a\r\n\r\n\r\n--b--\r\nan epilogue\r\n--b\r\n"

  private static let events =
    part(MultipartPart(name: "user_id"), "ada") + part(MultipartPart(name: "empty"), "")
    + part(
      MultipartPart(name: "file", fileName: "a b.png", contentType: "image/png"),
      "\r\r\n-\r\n--\r\n--a\r\n\r\n") + [.event(.end)]

  @Test("finds the same parts however the body is split (RFC 2046 §5.1)")
  func splits() throws {
    let bytes = Array(Self.form.utf8)
    #expect(try Self.outcomes([bytes]) == Self.events)
    #expect(try Self.outcomes(bytes.map { [$0] }) == Self.events)
    for place in bytes.indices {
      let pieces = [Array(bytes[..<place]), [], Array(bytes[place...])]
      #expect(try Self.outcomes(pieces) == Self.events)
    }
  }

  @Test("content of any bytes is returned unchanged, split anywhere", arguments: UInt64(1)...40)
  func anyContent(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var body: [UInt8] = []
    var expected: [Outcome] = []
    for number in 0..<Int.random(in: 1...4, using: &random) {
      // Mostly what a delimiter is made of, but never one.
      let letters = Array("\r\r\n\n--".utf8) + (random.oneIn(2) ? random.bytes(4) : [])
      let content = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        letters.randomElement(using: &random) ?? 0
      }
      body += Array("\r\n--Xy\r\nContent-Disposition: form-data; name=\(number)\r\n\r\n".utf8)
      body += content
      expected.append(.event(.part(MultipartPart(name: "\(number)"))))
      if !content.isEmpty { expected.append(.event(.bytes(content))) }
      expected.append(.event(.partEnd))
    }
    body = Array(body.dropFirst(2)) + Array("\r\n--Xy--".utf8)
    expected.append(.event(.end))
    for _ in 0..<10 {
      let pieces = random.pieces(of: body)
      #expect(try Self.outcomes(pieces, boundary: "Xy") == expected, "seed \(seed)")
    }
  }

  @Test("file names are parsed as browsers write them, and as in RFC 8187")
  func fileNames() throws {
    func name(_ parameters: String) throws -> String? {
      let text = "--b\r\nContent-Disposition: form-data; name=file; \(parameters)\r\n\r\n"
      guard case .event(.part(let part)) = try Self.outcomes(text).first else { return nil }
      return part.fileName
    }
    #expect(try name("filename=plain.txt") == "plain.txt")
    #expect(try name("FileName=\"a;b=c.txt\"") == "a;b=c.txt")
    #expect(try name("filename=\"naïve 写.txt\"") == "naïve 写.txt")
    #expect(try name("filename=\"say %22hi%22 100%.txt\"") == "say \"hi\" 100%.txt")
    #expect(try name("filename=\"say \\\"hi\\\".txt\"") == "say \"hi\".txt")
    #expect(try name("filename=\"C:\\folder\\a.txt\"") == "C:\\folder\\a.txt")
    #expect(try name("filename=\"a\"; filename*=UTF-8''na%C3%AFve.txt") == "naïve.txt")
    #expect(try name("filename=\"a\"; filename*=latin1''na%EFve.txt") == "a")
    #expect(try name("filename=\"a\"; filename*=UTF-8''%zz") == "a")
    #expect(try name("filename=\"\"") == "")
  }

  @Test(
    "a body that is not a form is refused with 400",
    arguments: [
      "--bc\r\n", "--b-\r\n", "--b\n", "--b\r\n\r\n", "--b\r\nno colon\r\n",
      "--b\r\nContent-Disposition: form-data\r\n\r\n",
      "--b\r\nContent-Disposition: attachment; name=a\r\n\r\n",
      "--b\r\nContent-Disposition: form-data; name=\"a\r\n\r\n",
      "--b\r\nContent-Disposition: form-data; name=a\n",
      "--b\r\nContent-Disposition: form-data; name=a\r\n folded\r\n",
      "--b\r\nContent-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\n",
      "--b" + String(repeating: " ", count: 100),
    ])
  func refuses(text: String) throws {
    #expect(try Self.outcomes(text).last == .error(400))
  }

  @Test("a part's head and the number of parts are limited")
  func bounds() throws {
    let head = "\r\n--b\r\nContent-Disposition: form-data; name=a\r\n\r\n"
    let limits = MultipartLimits(headBytes: 60, partCount: 3)
    func last(_ text: String) throws -> Outcome? {
      try Self.outcomes([Array(text.utf8)], limits: limits).last
    }
    #expect(try last(String(repeating: head, count: 3) + "\r\n--b--") == .event(.end))
    #expect(try last(String(repeating: head, count: 4)) == .error(400))
    #expect(
      try last("--b\r\nContent-Disposition: form-data; name=a\r\nX: 0123456789abcdefgh\r\n\r\n")
        == .error(400))
  }

  @Test("a truncated body has not ended")
  func end() throws {
    var parser = MultipartParser(boundary: try #require(MultipartBoundary("b")))
    for byte in Array("--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--b--".utf8) {
      #expect(!parser.hasEnded)
      let piece = [byte]
      var rest = piece.span
      while true {
        let (consumed, event) = try parser.receive(rest)
        rest = rest.extracting(consumed...)
        if event == nil { break }
      }
    }
    #expect(parser.hasEnded)
  }

  @Test("boundaries have 1 to 70 allowed characters (RFC 2046 §5.1.1)")
  func boundaries() {
    func isValid(_ type: String) -> Bool { MultipartBoundary(contentType: type) != nil }
    #expect(isValid("multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxk"))
    #expect(isValid("Multipart/Form-Data; charset=utf-8; BOUNDARY=\"a b:c\""))
    #expect(isValid("multipart/form-data; boundary=" + String(repeating: "a", count: 70)))
    #expect(!isValid("multipart/form-data; boundary=" + String(repeating: "a", count: 71)))
    #expect(!isValid("multipart/form-data; boundary="))
    #expect(!isValid("multipart/form-data; boundary=\"a \""))
    #expect(!isValid("multipart/form-data; boundary=\"a@\""))
    #expect(!isValid("multipart/form-data"))
    #expect(!isValid("multipart/mixed; boundary=a"))
    #expect(MultipartBoundary.isMeant(by: "multipart/form-data"))
    #expect(!MultipartBoundary.isMeant(by: "application/json"))
    #expect(!MultipartBoundary.isMeant(by: nil))
  }

  @Test("fuzzing seed inputs are parsed the same way however they are split")
  func corpus() throws {
    let inputs = try FuzzCorpus.inputs(of: "MultipartParser")
    #expect(!inputs.isEmpty)
    for input in inputs {
      let body = Array(input.dropFirst())
      let whole = try Self.outcomes([body])
      #expect(!whole.isEmpty)
      #expect(try Self.outcomes(body.map { [$0] }) == whole)
    }
  }
}
