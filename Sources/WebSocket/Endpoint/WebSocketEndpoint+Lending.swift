import Basics

extension WebSocketEndpoint {
  /// Finds the text of a complete message in the input, so that it need not be copied.
  ///
  /// Only a client's endpoint lends, and only a message in one frame that is not compressed. All
  /// else, and all that is wrong, is left to ``receiveNext(_:using:into:)``, which takes the same
  /// bytes.
  ///
  /// - Parameter start: Where in `input` the bytes begin that were not taken yet.
  /// - Returns: The text, which is UTF-8; its end is where the next frame begins.
  package func wholeText(in input: Span<UInt8>, from start: Int) -> Range<Int>? {
    guard state == .open, message == nil, masking != nil, case .header(let partial) = reading,
      partial.isEmpty, start >= 0, input.count - start >= 2
    else { return nil }
    guard let (payload, length) = Self.textFrame(in: input, from: start),
      length <= input.count - payload, length <= limits.messageBytes
    else { return nil }
    let text = payload..<(payload + length)
    var validator = UTF8Validator()
    guard validator.validate(input.extracting(text)), validator.isComplete else { return nil }
    return text
  }

  /// Reads the header of a final, uncompressed, unmasked text frame of less than 64 KiB.
  private static func textFrame(
    in input: Span<UInt8>, from start: Int
  ) -> (payload: Int, length: Int)? {
    guard input[start] == 0x81 else { return nil }
    let short = Int(input[start + 1])
    if short < 126 { return (start + 2, short) }
    guard short == 126, input.count - start >= 4 else { return nil }
    let length = Int(input[start + 2]) << 8 | Int(input[start + 3])
    return length >= 126 ? (start + 4, length) : nil
  }
}
