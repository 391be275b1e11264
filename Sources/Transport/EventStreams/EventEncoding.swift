import HTTP

/// The form in which a response carries events.
struct EventEncoding {
  /// The way in which the client recognises the end.
  private enum Framing {
    case chunked
    /// HTTP/1.0: by the end of the connection.
    case untilClose
  }

  private let framing: Framing
  /// `nil` when the body is not compressed.
  private var compression: GzipParts?

  /// - Parameter compressed: Whether the body is sent with gzip, which the head must declare.
  init(for request: HTTPRequestHead, compressed: Bool) {
    framing = request.version == .http11 ? .chunked : .untilClose
    compression = compressed ? GzipParts() : nil
  }

  var isChunked: Bool {
    switch framing {
    case .chunked: true
    case .untilClose: false
    }
  }

  /// Whether each batch of events is a chunk as it is.
  var isPlain: Bool { isChunked && compression == nil }

  /// Appends the head of the response.
  func append(
    _ head: HTTPResponse, for persistence: ConnectionPersistence, to output: inout [UInt8]
  ) {
    var head = head
    if isChunked { head.fields.append("Transfer-Encoding", "chunked") }
    head.serializeHeadOfUnknownLength(into: &output, for: persistence)
  }

  /// Appends events, or parts of them.
  mutating func append(
    _ bytes: UnsafeRawBufferPointer, to output: inout [UInt8], with workspace: DeflateWorkspace
  ) {
    guard compression != nil else { return appendChunk(bytes, to: &output) }
    let compressed = compression?.compress(bytes, with: workspace) ?? []
    compressed.withUnsafeBytes { appendChunk($0, to: &output) }
  }

  /// Appends the end of the response.
  mutating func appendEnd(to output: inout [UInt8]) {
    let trailer = compression?.end() ?? []
    trailer.withUnsafeBytes { appendChunk($0, to: &output) }
    if isChunked { output.append(contentsOf: Self.lastChunk) }
  }

  private func appendChunk(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    // An empty chunk would end the body.
    guard !bytes.isEmpty else { return }
    if isChunked { Self.beginChunk(byteCount: bytes.count, in: &output) }
    output.append(contentsOf: bytes)
    if isChunked { Self.endChunk(&output) }
  }

  /// Appends the length of a chunk (RFC 9112 §7.1), whose bytes follow.
  static func beginChunk(byteCount: Int, in chunk: inout [UInt8]) {
    var shift = (max(Int.bitWidth - byteCount.leadingZeroBitCount, 1) + 3) / 4 * 4
    repeat {
      shift -= 4
      chunk.append(hexDigits[byteCount >> shift & 0xf])
    } while shift > 0
    chunk.append(contentsOf: lineEnd)
  }

  static func endChunk(_ chunk: inout [UInt8]) { chunk.append(contentsOf: lineEnd) }

  private static let hexDigits = Array("0123456789abcdef".utf8)
  private static let lineEnd = Array("\r\n".utf8)
  private static let lastChunk = Array("0\r\n\r\n".utf8)
}
