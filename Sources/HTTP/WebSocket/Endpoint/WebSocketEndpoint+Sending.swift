import Basics

extension WebSocketEndpoint {
  /// Appends one message.
  ///
  /// Compresses the message where compression was agreed and is worthwhile. Appends nothing unless the
  /// connection is open: no data may follow a close frame (RFC 6455 §5.5.1).
  ///
  /// - Parameters:
  ///   - opcode: `.text`, when `payload` must be UTF-8, or `.binary`.
  ///   - deflate: The workspace of the event loop that this endpoint is confined to.
  package mutating func send(
    _ payload: Span<UInt8>, opcode: Opcode, using deflate: DeflateWorkspace,
    into bytes: inout [UInt8]
  ) {
    guard state == .open else { return }
    if let compressed = compress(payload, using: deflate) {
      encode(opcode, compressed.span, .deflated, into: &bytes)
    } else {
      encode(opcode, payload, .none, into: &bytes)
    }
  }

  /// Appends a ping with at most 125 bytes of payload, unless the connection is not open.
  package mutating func ping(_ payload: Span<UInt8>, into bytes: inout [UInt8]) {
    sendControl(.ping, payload, into: &bytes)
  }

  /// Appends an unsolicited pong, as a one-way heartbeat (§5.5.3).
  package mutating func pong(_ payload: Span<UInt8>, into bytes: inout [UInt8]) {
    sendControl(.pong, payload, into: &bytes)
  }

  /// Begins the closing handshake, unless it has begun (§7.1.2).
  ///
  /// - Parameters:
  ///   - code: A code that ``CloseCode/isAllowedOnWire``, or `nil` to send none.
  ///   - reason: Cut to 123 bytes of UTF-8; dropped without a code.
  package mutating func close(_ code: CloseCode?, reason: String = "", into bytes: inout [UInt8]) {
    guard state == .open else { return }
    precondition(code?.isAllowedOnWire ?? true, "this close code may not be sent")
    sendClose(ClosePayload(code: code, reason: reason), into: &bytes)
    state = .closing
    message = nil
  }

  mutating func sendControl(_ opcode: Opcode, _ payload: Span<UInt8>, into bytes: inout [UInt8]) {
    precondition(
      payload.count <= FrameHeader.controlPayloadLimit, "a control frame has at most 125 bytes")
    guard state == .open else { return }
    encode(opcode, payload, .none, into: &bytes)
  }

  func sendClose(_ payload: ClosePayload, into bytes: inout [UInt8]) {
    encode(.close, payload.encoded.span, .none, into: &bytes)
  }

  private func encode(
    _ opcode: Opcode, _ payload: Span<UInt8>, _ compression: FrameEncoder.Compression,
    into bytes: inout [UInt8]
  ) {
    if let masking {
      FrameEncoder.appendMaskedFrame(
        opcode: opcode, payload: payload, compressed: compression, key: masking.next(),
        into: &bytes)
    } else {
      FrameEncoder.appendFrame(
        opcode: opcode, payload: payload, compressed: compression, into: &bytes)
    }
  }

  /// Compresses a message, or returns `nil` when it should be sent uncompressed.
  private mutating func compress(
    _ payload: Span<UInt8>, using deflate: DeflateWorkspace
  ) -> [UInt8]? {
    guard let compression, payload.count >= limits.compressedMessageBytes else { return nil }
    let windowBits = Int(sendingWindowBits(compression))
    // zlib cannot produce a window of 256 bytes; such a peer gets its messages uncompressed.
    guard windowBits >= 9 else { return nil }
    var compressed: [UInt8] = []
    guard sendingKeepsContext(compression) else {
      let isDone = deflate.compress(payload, windowBits: windowBits, into: &compressed)
      return isDone && compressed.count < payload.count ? compressed : nil
    }
    let contexts = keptContexts
    let deflater =
      contexts.deflater ?? DeflateWorkspace.makeOwnDeflater(windowBits: windowBits)
    contexts.deflater = deflater
    // The peer must receive everything that is in the context, even if it has grown.
    return deflate.compress(payload, with: deflater, into: &compressed) ? compressed : nil
  }

  private func sendingWindowBits(_ agreement: PermessageDeflate.Agreement) -> UInt8 {
    masking == nil ? agreement.serverMaxWindowBits : agreement.clientMaxWindowBits
  }

  private func sendingKeepsContext(_ agreement: PermessageDeflate.Agreement) -> Bool {
    masking == nil ? !agreement.serverNoContextTakeover : !agreement.clientNoContextTakeover
  }
}

extension WebSocketEndpoint {
  /// Finds the text of a complete message in the input, so that it need not be copied.
  ///
  /// Only works for a client's endpoint and an uncompressed message in a single frame. All other input,
  /// including invalid input, is left to ``receiveNext(_:using:into:)``, which processes the same bytes.
  ///
  /// - Parameter start: The offset in `input` of the bytes that have not been consumed.
  /// - Returns: The range of the text, which is UTF-8; the next frame begins at its end.
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
