import Basics

extension WebSocketEndpoint {
  /// Consumes all given bytes from the peer.
  ///
  /// For drivers that never send in response to a message; others need ``receiveNext(_:using:into:)``.
  ///
  /// - Parameters:
  ///   - input: Bytes received, split anywhere; ignored once the connection is closed or failed.
  ///   - deflate: The workspace of the event loop that this endpoint is confined to.
  ///   - output: Receives the events and the bytes to write, in order. `.closed` and `.failed` are the
  ///     last events.
  package mutating func receive(
    _ input: Span<UInt8>, using deflate: DeflateWorkspace, into output: inout WebSocketOutput
  ) {
    var offset = 0
    while offset < input.count {
      offset += receiveNext(input.extracting(offset...), using: deflate, into: &output)
    }
  }

  /// Consumes bytes from the peer up to the end of the first message, or all if none ends in them.
  ///
  /// So a message can be answered before the following bytes are processed: after a close frame or an
  /// error, nothing could be sent.
  ///
  /// - Returns: The number of bytes consumed. After handling `output`, call again with the rest, if any.
  package mutating func receiveNext(
    _ input: Span<UInt8>, using deflate: DeflateWorkspace, into output: inout WebSocketOutput
  ) -> Int {
    do throws(WebSocketError) {
      return try decode(input, using: deflate, into: &output)
    } catch {
      fail(error, into: &output)
      return input.count
    }
  }

  private mutating func decode(
    _ input: Span<UInt8>, using deflate: DeflateWorkspace, into output: inout WebSocketOutput
  ) throws(WebSocketError) -> Int {
    var offset = 0
    var controlFrames = 0
    while isReceiving {
      switch reading {
      case .header(let partial):
        guard let header = try nextHeader(partial, from: input, at: &offset) else { return offset }
        controlFrames = header.opcode.isControl ? controlFrames + 1 : 0
        guard controlFrames <= Int(limits.controlFrames) else {
          throw .tooManyControlFrames(limit: Int(limits.controlFrames))
        }
        try admit(header)
        reading = .payload(PartialFrame(header))
      case .payload(var frame):
        try take(&frame, from: input, at: &offset)
        guard frame.missing == 0 else {
          reading = .payload(frame)
          return offset
        }
        reading = .start
        if try finish(frame, using: deflate, into: &output) == .message { return offset }
      }
    }
    return input.count
  }

  /// Decodes a complete header in place, which is nearly always possible.
  private mutating func nextHeader(
    _ partial: PartialHeader, from input: Span<UInt8>, at offset: inout Int
  ) throws(WebSocketError) -> FrameHeader? {
    if partial.isEmpty,
      case .complete(let header, let byteCount) = try FrameHeader.decode(
        input.extracting(offset...))
    {
      offset += byteCount
      return header
    }
    var partial = partial
    let header = try partial.next(from: input, at: &offset)
    if header == nil { reading = .header(partial) }
    return header
  }

  /// Checks a header against the connection: masking, compression, fragments, size.
  private mutating func admit(_ header: FrameHeader) throws(WebSocketError) {
    if masking == nil {
      guard header.maskingKey != nil else { throw .unmaskedFrame }
    } else {
      guard header.maskingKey == nil else { throw .maskedFrame }
    }
    let mayBeCompressed =
      compression != nil && (header.opcode == .text || header.opcode == .binary)
    guard !header.isCompressed || mayBeCompressed else { throw .reservedBit }
    guard state == .open, !header.opcode.isControl else { return }
    if header.opcode == .continuation {
      guard message != nil else { throw .unexpectedContinuation }
    } else {
      guard message == nil else { throw .missingContinuation }
      message = PartialMessage(header)
    }
    try message?.admit(header, limits: limits)
  }

  /// Moves payload bytes to their destination; data received after our close frame is discarded.
  private mutating func take(
    _ frame: inout PartialFrame, from input: Span<UInt8>, at offset: inout Int
  ) throws(WebSocketError) {
    let count = min(frame.missing, input.count - offset)
    guard count > 0 else { return }
    let bytes = input.extracting(offset..<(offset + count))
    if frame.opcode.isControl {
      Masking.append(bytes, maskedWith: frame.key ?? MaskingKey(0), to: &controlPayload)
    } else {
      try message?.append(bytes, key: frame.key)
    }
    offset += count
    frame.advance(by: count)
  }

  /// The message or control frame that a frame completed.
  private enum FrameEnd {
    case message
    case fragment
    case control
  }

  private mutating func finish(
    _ frame: PartialFrame, using deflate: DeflateWorkspace, into output: inout WebSocketOutput
  ) throws(WebSocketError) -> FrameEnd {
    if frame.opcode.isControl {
      let payload = controlPayload
      controlPayload = []
      try finishControl(frame.opcode, payload, into: &output)
      return .control
    }
    // After our own close frame there is no message: its fragments are discarded.
    guard frame.isFinal, let whole = message else { return .fragment }
    message = nil
    output.events.append(try event(whole, using: deflate))
    return .message
  }

  private mutating func finishControl(
    _ opcode: Opcode, _ payload: [UInt8], into output: inout WebSocketOutput
  ) throws(WebSocketError) {
    switch opcode {
    case .ping:
      sendControl(.pong, payload.span, into: &output.bytes)
      output.events.append(.ping(payload))
    case .pong:
      output.events.append(.pong(payload))
    default:
      let close = try ClosePayload(decoding: payload)
      if state == .open { sendClose(ClosePayload(code: close.code), into: &output.bytes) }
      output.events.append(.closed(code: close.code, reason: close.reason))
      state = .closed
      releaseMemory()
    }
  }

  private mutating func event(
    _ message: PartialMessage, using deflate: DeflateWorkspace
  ) throws(WebSocketError) -> WebSocketEvent {
    guard message.isCompressed else {
      try message.checkEnd()
      return message.opcode == .text ? .text(message.payload) : .binary(message.payload)
    }
    let payload = try inflate(message.payload.span, using: deflate)
    guard message.opcode == .text else { return .binary(payload) }
    var validator = UTF8Validator()
    guard validator.validate(payload.span), validator.isComplete else { throw .invalidText }
    return .text(payload)
  }

  private mutating func inflate(
    _ payload: Span<UInt8>, using deflate: DeflateWorkspace
  ) throws(WebSocketError) -> [UInt8] {
    var inflated: [UInt8] = []
    let limit = limits.messageBytes
    if let windowBits = receivingContextBits {
      let contexts = keptContexts
      let inflater = contexts.inflater ?? Inflater(windowBits: windowBits)
      contexts.inflater = inflater
      try deflate.decompress(payload, with: inflater, limit: limit, into: &inflated)
    } else {
      try deflate.decompress(payload, limit: limit, into: &inflated)
    }
    return inflated
  }

  /// The window of the peer's compressor, or `nil` when it keeps no context.
  ///
  /// At least 9, because some peers that agreed to 8 use 9.
  private var receivingContextBits: Int? {
    guard let compression else { return nil }
    let (keepsNone, bits) =
      masking == nil
      ? (compression.clientNoContextTakeover, compression.clientMaxWindowBits)
      : (compression.serverNoContextTakeover, compression.serverMaxWindowBits)
    return keepsNone ? nil : max(9, Int(bits))
  }

  /// Fails with a close frame that contains the reason, unless one was sent before (RFC 6455 §7.1.7).
  private mutating func fail(_ error: WebSocketError, into output: inout WebSocketOutput) {
    if state == .open {
      let payload = ClosePayload(code: error.closeCode, reason: error.description)
      sendClose(payload, into: &output.bytes)
    }
    output.events.append(.failed(error))
    state = .failed
    releaseMemory()
  }
}
