import HTTP

/// Feeds a form to a multipart parser whole and in pieces; both must find the same parts.
///
/// The first byte of the input chooses the length of the pieces.
enum MultipartParserHarness: Harness {
  static func run(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let body = Array(input.dropFirst())
    let whole = outcomes(body, piece: max(1, body.count))
    let pieces = outcomes(body, piece: 1 + Int(choice % 64))
    precondition(whole == pieces, "the parts depend on how the body is cut")
  }
}

private enum Outcome: Equatable {
  case event(MultipartEvent)
  case error(HTTPError)
}

private func outcomes(_ body: [UInt8], piece: Int) -> [Outcome] {
  guard let boundary = MultipartBoundary("b") else { return [] }
  var parser = MultipartParser(
    boundary: boundary, limits: MultipartLimits(headBytes: 200, partCount: 4))
  var outcomes: [Outcome] = []
  var offset = 0
  do throws(HTTPError) {
    while offset < body.count {
      let end = min(body.count, offset + piece)
      while true {
        let (consumed, event) = try parser.receive(body.span.extracting(offset..<end))
        offset += consumed
        guard let event else { break }
        append(event, to: &outcomes)
      }
      precondition(offset == end, "without an event all must be consumed")
    }
  } catch {
    precondition(error.status.code == 400)
    outcomes.append(.error(error))
  }
  return outcomes
}

/// Joins bytes to those before them.
private func append(_ event: MultipartEvent, to outcomes: inout [Outcome]) {
  if case .bytes(let bytes) = event {
    precondition(!bytes.isEmpty)
    if case .event(.bytes(let before)) = outcomes.last {
      outcomes[outcomes.count - 1] = .event(.bytes(before + bytes))
      return
    }
  }
  outcomes.append(.event(event))
}
