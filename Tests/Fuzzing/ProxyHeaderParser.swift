import Transport

/// Feeds a stream to a PROXY header parser whole and byte by byte; both must find the same header,
/// and take no more than its limit.
enum ProxyHeaderParserHarness: Harness {
  static func run(_ input: [UInt8]) {
    let stream = input
    let whole = outcome(stream, piece: max(1, stream.count))
    precondition(whole == outcome(stream, piece: 1), "the header depends on how the stream is cut")
  }
}

private enum Outcome: Equatable {
  case header(ProxyHeader, consumed: Int)
  case refused
  case incomplete
}

private func outcome(_ stream: [UInt8], piece: Int) -> Outcome {
  var parser = ProxyHeaderParser()
  var offset = 0
  do throws(ProxyHeaderError) {
    while offset < stream.count {
      let end = min(stream.count, offset + piece)
      let (consumed, header) = try parser.receive(stream.span.extracting(offset..<end))
      offset += consumed
      if let header {
        precondition(offset <= ProxyHeaderParser.maximumBytes)
        if case .client(let address) = header { precondition(!address.description.isEmpty) }
        return .header(header, consumed: offset)
      }
      precondition(offset == end, "without a header all must be consumed")
    }
    precondition(offset < ProxyHeaderParser.maximumBytes)
    return .incomplete
  } catch {
    return .refused
  }
}
