/// The buffers that all streams of one event loop share.
package final class StreamResources {
  private static let readBufferSize = 65_536
  /// The largest plaintext buffer that is kept for reuse; larger ones are freed.
  private static let keptPlaintextSize = 262_144

  /// The buffer for bytes that are read from a socket.
  package let readBuffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: StreamResources.readBufferSize, alignment: 16)
  private var plaintext: [UInt8] = []
  private var scratch: TLSScratch?

  package init() {}

  deinit {
    readBuffer.deallocate()
  }

  /// The working memory of TLS sessions, created at first use.
  package func tlsScratch() throws(TLSError) -> TLSScratch {
    if let scratch { return scratch }
    let made = try TLSScratch()
    scratch = made
    return made
  }

  /// Keeps the buffer of processed plaintext for reuse.
  package func recycle(_ spent: inout [UInt8]) {
    swap(&plaintext, &spent)
    plaintext.removeAll(keepingCapacity: plaintext.capacity <= Self.keptPlaintextSize)
  }

  func takePlaintext() -> [UInt8] {
    defer { plaintext = [] }
    return plaintext
  }
}
