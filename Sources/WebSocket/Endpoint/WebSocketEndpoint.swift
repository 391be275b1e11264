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

  /// How far the connection has come.
  package enum State: Sendable, Hashable {
    /// Messages go both ways.
    case open
    /// Our close frame is sent. Data is still read and dropped until the peer's comes.
    case closing
    /// Both close frames are sent. Nothing is read any more.
    case closed
    /// The peer broke the protocol. Nothing is read any more.
    case failed
  }

  /// How far the connection has come.
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
