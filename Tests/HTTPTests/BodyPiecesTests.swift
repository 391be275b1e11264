import HTTP
import TestSupport
import Testing

@Suite("A request parser with a body mode chosen per request")
struct BodyPiecesTests {
  private enum Outcome: Equatable, Sendable {
    case event(HTTPRequestEvent)
    case error(UInt16)
  }

  /// Takes bodies of `/pieces` in pieces, joins these again, and collects all others.
  private static func outcomes(_ pieces: [[UInt8]], limit: Int = 1000) -> [Outcome] {
    var parser = HTTPRequestParser(limits: HTTPLimits(bodyBytes: 20), bodies: .chosenByHead)
    var outcomes: [Outcome] = []
    do throws(HTTPError) {
      for piece in pieces {
        var rest = piece.span
        while true {
          let (consumed, event) = try parser.receive(rest)
          rest = rest.extracting(consumed...)
          guard let event else { break }
          append(event, to: &outcomes)
          guard case .head(let head) = event else { continue }
          let intake: HTTPBodyIntake = head.path == "/pieces" ? .pieces(limit: limit) : .whole
          if let next = try parser.takeBody(intake) { outcomes.append(.event(next)) }
        }
      }
    } catch {
      outcomes.append(.error(error.status.code))
    }
    return outcomes
  }

  private static func append(_ event: HTTPRequestEvent, to outcomes: inout [Outcome]) {
    if case .piece(let piece) = event, case .event(.piece(let before)) = outcomes.last {
      outcomes[outcomes.count - 1] = .event(.piece(before + piece))
    } else {
      outcomes.append(.event(event))
    }
  }

  private static func request(_ path: String, _ fields: HTTPFields) -> HTTPRequestHead {
    HTTPRequestHead(method: "POST", target: path, fields: fields)
  }

  @Test("pieces of a body form the whole however the stream is split, and requests follow")
  func splits() {
    let body = String(repeating: "0123456789", count: 10)
    let stream = Array(
      ("POST /pieces HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n" + body
        + "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
        + "POST /pieces HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "64\r\n" + body + "\r\n0\r\n\r\n"
        + "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi").utf8)
    let counted = Self.request("/pieces", ["Host": "h", "Content-Length": "100"])
    let chunked = Self.request("/pieces", ["Host": "h", "Transfer-Encoding": "chunked"])
    let small = Self.request("/", ["Host": "h", "Content-Length": "2"])
    let expected: [Outcome] = [
      .event(.head(counted)), .event(.piece(Array(body.utf8))), .event(.bodyEnd),
      .event(.request(HTTPRequest(head: HTTPRequestHead(target: "/", fields: ["Host": "h"])))),
      .event(.head(chunked)), .event(.piece(Array(body.utf8))), .event(.bodyEnd),
      .event(.head(small)), .event(.request(HTTPRequest(head: small, body: Array("hi".utf8)))),
    ]
    #expect(Self.outcomes([stream]) == expected)
    #expect(Self.outcomes(stream.map { [$0] }) == expected)
    for place in stream.indices {
      #expect(Self.outcomes([Array(stream[..<place]), Array(stream[place...])]) == expected)
    }
  }

  @Test("a body has the limit chosen for it, and beyond it fails with 413")
  func limits() {
    func outcome(_ text: String, _ limit: Int) -> Outcome? {
      Self.outcomes([Array(text.utf8)], limit: limit).last
    }
    let counted = "POST /pieces HTTP/1.1\r\nHost: h\r\nContent-Length: 30\r\n\r\n"
    let chunked = "POST /pieces HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    let text = String(repeating: "a", count: 30)
    #expect(outcome(counted, 29) == .error(413))
    #expect(outcome(counted + text, 30) == .event(.bodyEnd))
    #expect(outcome(chunked + "f\r\n\(text.prefix(15))\r\nf\r\n", 29) == .error(413))
    #expect(outcome(counted.replacing("/pieces", with: "/"), 30) == .error(413))
  }

  @Test("100-continue is sent once the body mode is chosen (RFC 9110 §10.1.1)")
  func continues() {
    let head = Self.request(
      "/pieces", ["Host": "h", "Expect": "100-continue", "Content-Length": "1"])
    var bytes: [UInt8] = []
    head.serialize(into: &bytes)
    #expect(
      Self.outcomes([bytes, Array("!".utf8)]) == [
        .event(.head(head)), .event(.expectsContinue), .event(.piece(Array("!".utf8))),
        .event(.bodyEnd),
      ])
  }
}
