/// One side of a WebSocket connection after the opening handshake (RFC 6455 §5–§7, RFC 7692).
///
/// Owns no socket, clock or randomness: bytes received go in, events and bytes to write come out.
/// While no message is half received and no compression context is kept, it holds no heap memory.
///
///     open ── close(…) ──► closing ── peer's close ──► closed
///       ├───────────── peer's close, answered ───────────►┘
///       └── peer broke the protocol ──► failed        (also from closing)
package struct WebSocketEndpoint: ~Copyable {
  /// Which side this is.
  package enum Role {
    /// Sends unmasked, expects masked frames.
    case server
    /// Sends masked, expects unmasked frames. The closure makes a masking key for each frame; it
    /// must be unpredictable to whoever chooses the payload (§5.3, §10.3).
    case client(maskingKey: () -> UInt32)
  }

  /// The state of the connection.
  package enum State: Sendable, Hashable {
    /// Messages go both ways.
    case open
    /// Our close frame is sent. Data is still read and dropped until the peer's comes.
    case closing
    /// Both close frames are sent. Input is ignored.
    case closed
    /// The peer broke the protocol. Input is ignored.
    case failed
  }

  /// The state of the connection.
  package internal(set) var state = State.open

  /// The agreed compression.
  package let compression: PermessageDeflate.Agreement?

  /// Makes the masking keys of a client's frames; `nil` on the server's side.
  let masking: MaskingKeySource?
  let limits: WebSocketLimits
  var reading = FrameReading.start
  var message: PartialMessage?
  var controlPayload: [UInt8] = []
  /// The contexts of a connection that keeps them, made with its first compressed message.
  private var contexts: CompressionContexts?

  /// Makes the endpoint of a connection that has just been opened.
  ///
  /// - Parameter compression: What the handshake agreed on; `nil` when messages are never
  ///   compressed.
  package init(
    role: Role, limits: WebSocketLimits = WebSocketLimits(),
    compression: PermessageDeflate.Agreement? = nil
  ) {
    masking =
      switch role {
      case .server: nil
      case .client(let maskingKey): MaskingKeySource(maskingKey)
      }
    self.limits = limits
    self.compression = compression
  }

  /// Whether bytes from the peer still mean anything.
  var isReceiving: Bool { state == .open || state == .closing }

  /// The contexts, made when they are first asked for.
  var keptContexts: CompressionContexts {
    mutating get {
      let kept = contexts ?? CompressionContexts()
      contexts = kept
      return kept
    }
  }

  /// Gives up all that was kept for messages.
  mutating func releaseMemory() {
    message = nil
    controlPayload = []
    contexts = nil
  }
}

/// An event of the peer.
package enum WebSocketEvent: Sendable, Hashable {
  /// A whole text message, which is UTF-8.
  case text([UInt8])
  /// A whole binary message.
  case binary([UInt8])
  /// A ping; its pong is in ``WebSocketOutput/bytes`` already.
  case ping([UInt8])
  /// A pong, asked for or not.
  case pong([UInt8])
  /// The peer's close frame. Our reply, if it was due, is in ``WebSocketOutput/bytes``: write it; a
  /// server then closes the transport, a client waits for the server to do so.
  case closed(code: CloseCode?, reason: String)
  /// The peer broke the protocol. The close frame that says so is in ``WebSocketOutput/bytes``,
  /// unless one had been sent before: write it and close the transport.
  case failed(WebSocketError)
}

/// The results of receiving bytes; the driver empties and reuses it.
package struct WebSocketOutput: Sendable {
  /// The events of the peer, in order.
  package var events: [WebSocketEvent] = []
  /// The bytes to write to the peer.
  package var bytes: [UInt8] = []

  /// Makes an empty output.
  package init() {}

  /// Empties it, keeping the memory for the next use.
  package mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }
}

/// The limits of a peer's messages, and the size from which compression pays.
package struct WebSocketLimits: Sendable, Hashable {
  /// The most bytes of a message, inflated; beyond: 1009.
  package var messageBytes: Int
  /// The most empty fragments of one message; beyond: 1008.
  package var emptyFragments: UInt16
  /// The most control frames in one call of `receive` without data between them; beyond: 1008.
  ///
  /// Each is legal, but a reader that is fed nothing else does no useful work. Counting per call
  /// needs no clock: a connection that only exchanges pings now and then never gets near.
  package var controlFrames: UInt16
  /// The smallest message, in bytes, that is sent compressed where that was agreed.
  package var compressedMessageBytes: UInt16

  /// Makes limits.
  package init(
    messageBytes: Int = 262_144, emptyFragments: UInt16 = 100, controlFrames: UInt16 = 1000,
    compressedMessageBytes: UInt16 = 64
  ) {
    self.messageBytes = max(0, messageBytes)
    self.emptyFragments = emptyFragments
    self.controlFrames = controlFrames
    self.compressedMessageBytes = compressedMessageBytes
  }

  /// The most bytes of a compressed message on the wire.
  ///
  /// Data that cannot be compressed grows a little, by an eighth at most in any sensible encoder.
  var compressedWireBytes: Int {
    messageBytes.addingReportingOverflow(messageBytes / 8 + 64).overflow
      ? .max : messageBytes + messageBytes / 8 + 64
  }
}

/// Makes the masking keys of a client's frames; an object, so that a server's connection pays one word
/// for it.
final class MaskingKeySource {
  private let make: () -> UInt32

  init(_ make: @escaping () -> UInt32) {
    self.make = make
  }

  func next() -> MaskingKey { MaskingKey(make()) }
}

/// The compression contexts of a connection that keeps any.
final class CompressionContexts {
  var deflater: Deflater?
  var inflater: Inflater?
}
