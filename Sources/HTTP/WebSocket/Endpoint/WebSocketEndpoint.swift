/// One side of a WebSocket connection after the opening handshake (RFC 6455 §5–§7, RFC 7692).
///
/// Uses no socket, clock or randomness: bytes go in, events and bytes to write come out. Uses no heap
/// memory while no message is partially received and no compression context is kept.
///
///     open ── close(…) ──► closing ── peer's close ──► closed
///       ├───────────── peer's close, answered ───────────►┘
///       └── peer broke the protocol ──► failed        (also from closing)
package struct WebSocketEndpoint: ~Copyable {
  /// The side of the connection.
  package enum Role {
    /// Sends unmasked, expects masked frames.
    case server
    /// Sends masked, expects unmasked frames. The closure makes a masking key for each frame, which must
    /// be unpredictable to the author of the payload (§5.3, §10.3).
    case client(maskingKey: () -> UInt32)
  }

  /// The state of the connection.
  package enum State: Sendable, Hashable {
    /// Messages flow both ways.
    case open
    /// Our close frame is sent. Data is read and discarded until the peer's close frame arrives.
    case closing
    /// Both close frames are sent. Input is ignored.
    case closed
    /// The peer violated the protocol. Input is ignored.
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
  /// The contexts of a connection that keeps them, created with its first compressed message.
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

  /// Whether bytes from the peer are still processed.
  var isReceiving: Bool { state == .open || state == .closing }

  /// The contexts, created at first use.
  var keptContexts: CompressionContexts {
    mutating get {
      let kept = contexts ?? CompressionContexts()
      contexts = kept
      return kept
    }
  }

  /// Frees all memory kept for messages.
  mutating func releaseMemory() {
    message = nil
    controlPayload = []
    contexts = nil
  }
}

/// An event from the peer.
package enum WebSocketEvent: Sendable, Hashable {
  /// A complete text message, which is UTF-8.
  case text([UInt8])
  /// A complete binary message.
  case binary([UInt8])
  /// A ping; its pong is already in ``WebSocketOutput/bytes``.
  case ping([UInt8])
  /// A pong, solicited or not.
  case pong([UInt8])
  /// The peer's close frame. Our reply, if one is due, is in ``WebSocketOutput/bytes``: write it. A
  /// server then closes the transport; a client waits for the server to close it.
  case closed(code: CloseCode?, reason: String)
  /// The peer violated the protocol. The close frame with the reason is in ``WebSocketOutput/bytes``,
  /// unless one was sent before: write it and close the transport.
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

  /// Removes all events and bytes, keeping the memory for reuse.
  package mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }
}

/// The limits on a peer's messages, and the size from which compression is used.
package struct WebSocketLimits: Sendable, Hashable {
  /// The maximum number of bytes in a message after inflating; above that: 1009.
  package var messageBytes: Int
  /// The maximum number of empty fragments of one message; above that: 1008.
  package var emptyFragments: UInt16
  /// The most control frames in one call of `receive` without data between them; above that: 1008.
  ///
  /// Each one is legal, but a receiver that gets only control frames does no useful work. Counting per
  /// call needs no clock; occasional pings stay far below the limit.
  package var controlFrames: UInt16
  /// The smallest message, in bytes, that is compressed where compression was agreed.
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

  /// The maximum number of bytes in a compressed message on the wire.
  ///
  /// Incompressible data grows slightly, by at most an eighth with any reasonable encoder.
  var compressedWireBytes: Int {
    messageBytes.addingReportingOverflow(messageBytes / 8 + 64).overflow
      ? .max : messageBytes + messageBytes / 8 + 64
  }
}

/// Makes the masking keys of a client's frames.
///
/// An object, so that a server's connection pays only one word for it.
final class MaskingKeySource {
  private let make: () -> UInt32

  init(_ make: @escaping () -> UInt32) {
    self.make = make
  }

  func next() -> MaskingKey { MaskingKey(make()) }
}

/// The compression contexts of a connection that keeps them.
final class CompressionContexts {
  var deflater: Deflater?
  var inflater: Inflater?
}
