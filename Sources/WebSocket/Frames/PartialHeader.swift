/// The bytes of a header that has not come whole, kept inline so that waiting costs no heap.
struct PartialHeader: Sendable {
  private var bytes = InlineArray<14, UInt8>(repeating: 0)
  private var count: UInt8 = 0

  var isEmpty: Bool { count == 0 }

  /// Decodes what has come so far, without more.
  func decode() throws(WebSocketError) -> FrameHeader.Decoding {
    try FrameHeader.decode(bytes.span.extracting(..<Int(count)))
  }

  /// Takes bytes from `offset` on until a header is complete or `input` is used up.
  mutating func next(
    from input: Span<UInt8>, at offset: inout Int
  ) throws(WebSocketError) -> FrameHeader? {
    while true {
      switch try decode() {
      case .complete(let header, _):
        return header
      case .incomplete(let needed):
        guard offset < input.count else { return nil }
        while count < needed, offset < input.count {
          bytes[Int(count)] = input[offset]
          count += 1
          offset += 1
          // The first byte alone may already be wrong.
          if count == 1 { break }
        }
      }
    }
  }
}
