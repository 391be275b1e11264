import HTTP

/// Feeds a stream to a request parser whole and in pieces; both must find the same requests.
///
/// The first byte of the input chooses the length of the pieces.
enum HTTPRequestParserHarness: Harness {
  static func run(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let stream = Array(input.dropFirst())
    let whole = outcomes(stream, piece: max(1, stream.count))
    let pieces = outcomes(stream, piece: 1 + Int(choice))
    precondition(whole == pieces, "the requests depend on how the stream is cut")
  }
}

private enum Outcome: Equatable {
  case event(HTTPRequestEvent)
  case error(HTTPError)
}

private func outcomes(_ stream: [UInt8], piece: Int) -> [Outcome] {
  let limits = HTTPLimits(
    startLineBytes: 200, headBytes: 400, fieldCount: 5, bodyBytes: 500, chunkLineBytes: 20)
  var parser = HTTPRequestParser(limits: limits)
  var outcomes: [Outcome] = []
  var offset = 0
  do throws(HTTPError) {
    while offset < stream.count {
      let end = min(stream.count, offset + piece)
      while true {
        let (consumed, event) = try parser.receive(stream.span.extracting(offset..<end))
        offset += consumed
        guard let event else { break }
        check(event, limits)
        outcomes.append(.event(event))
      }
      precondition(offset == end, "without an event all must be consumed")
    }
  } catch {
    precondition([400, 413, 414, 417, 431, 501, 505].contains(error.status.code))
    outcomes.append(.error(error))
  }
  return outcomes
}

private func check(_ event: HTTPRequestEvent, _ limits: HTTPLimits) {
  guard case .request(let request) = event else { return }
  precondition(request.body.count <= limits.bodyBytes)
  precondition(request.head.fields.count <= limits.fieldCount)
  precondition(!request.head.path.isEmpty)
  _ = request.head.query
}
