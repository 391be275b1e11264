import HTTP

/// Feeds a stream to a response parser whole and in pieces; both must find the same responses.
///
/// The first byte of the input chooses the kind of request and the length of the pieces.
enum HTTPResponseParserHarness: Harness {
  static func run(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let stream = Array(input.dropFirst())
    let kind = choice & 1 == 0 ? HTTPRequestKind.other : .head
    let whole = outcomes(stream, piece: max(1, stream.count), kind)
    let pieces = outcomes(stream, piece: 1 + Int(choice >> 1), kind)
    precondition(whole == pieces, "the responses depend on how the stream is cut")
  }
}

private enum Outcome: Equatable {
  case response(HTTPResponse)
  case failed
}

private func outcomes(_ stream: [UInt8], piece: Int, _ kind: HTTPRequestKind) -> [Outcome] {
  let limits = HTTPLimits(
    startLineBytes: 200, headBytes: 400, fieldCount: 5, bodyBytes: 500, chunkLineBytes: 20)
  var parser = HTTPResponseParser(limits: limits, answering: kind)
  var outcomes: [Outcome] = []
  var offset = 0
  do throws(HTTPError) {
    while offset < stream.count {
      let end = min(stream.count, offset + piece)
      while true {
        let (consumed, response) = try parser.receive(stream.span.extracting(offset..<end))
        offset += consumed
        guard let response else { break }
        check(response, limits, kind)
        outcomes.append(.response(response))
      }
      precondition(offset == end, "without a response all must be consumed")
    }
    if let last = try parser.receiveEnd() {
      check(last, limits, kind)
      outcomes.append(.response(last))
    }
  } catch {
    outcomes.append(.failed)
  }
  return outcomes
}

private func check(_ response: HTTPResponse, _ limits: HTTPLimits, _ kind: HTTPRequestKind) {
  precondition(response.status.code >= 200 || response.status == .switchingProtocols)
  precondition(response.body.count <= (kind == .head ? 0 : limits.bodyBytes))
}
