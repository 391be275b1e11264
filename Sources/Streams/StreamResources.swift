package import TLS

/// The buffers that all streams of one event loop share.
package final class StreamResources {
  private static let readBufferSize = 65_536
  /// A larger buffer of plaintext is given back.
  private static let keptPlaintextSize = 262_144

  /// The place for bytes that are read from a socket.
  package let readBuffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: StreamResources.readBufferSize, alignment: 16)
  private var plaintext: [UInt8] = []
  private var scratch: TLSScratch?

  package init() {}

  deinit {
    readBuffer.deallocate()
  }

  /// The working memory of TLS sessions, made at the first use.
  package func tlsScratch() throws(TLSError) -> TLSScratch {
    if let scratch { return scratch }
    let made = try TLSScratch()
    scratch = made
    return made
  }

  /// Takes the memory of plaintext that was handled, for the next.
  package func recycle(_ spent: inout [UInt8]) {
    swap(&plaintext, &spent)
    plaintext.removeAll(keepingCapacity: plaintext.capacity <= Self.keptPlaintextSize)
  }

  func takePlaintext() -> [UInt8] {
    defer { plaintext = [] }
    return plaintext
  }
}
