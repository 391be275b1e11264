internal import COpenSSL

/// The working memory that all TLS sessions of one event loop share.
///
/// A session that waits for its peer keeps no buffers; while it works it borrows these. Outgoing
/// ciphertext is collected in ``outgoing`` until the caller takes it. Confined to the event loop, like
/// the sessions that use it.
package final class TLSScratch {
  /// The size of the buffer for decrypted records (RFC 8446 §5.1: at most 2^14 bytes).
  static let recordSize = 16_384
  /// The size of the output area above which ``removeOutgoing()`` frees it.
  static let keptCapacity = 262_144

  let bio: OpaquePointer
  let port: UnsafeMutablePointer<copenssl_port>
  let record: UnsafeMutableBufferPointer<UInt8>

  /// Creates empty working memory of about 17 KiB, which grows with the size of a single write.
  ///
  /// - Throws: ``TLSError/internalFailure(_:)`` when there is no memory.
  package init() throws(TLSError) {
    ErrorQueue.clear()
    guard let bio = copenssl_port_bio_new(), let port = copenssl_port_of(bio) else {
      throw .internalFailure(ErrorQueue.drainText())
    }
    self.bio = bio
    self.port = port
    record = .allocate(capacity: Self.recordSize)
    record.initialize(repeating: 0)
  }

  deinit {
    record.deallocate()
    BIO_free(bio)
  }

  /// The ciphertext to send, oldest first; valid until the next call on this object or with it.
  package var outgoing: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: port.pointee.output, count: port.pointee.output_count)
  }

  /// Empties ``outgoing`` after it was written or copied; keeps up to 256 KiB for reuse.
  package func removeOutgoing() {
    copenssl_port_shrink(port, Self.keptCapacity)
  }

  /// Provides `ciphertext` to the session for the duration of `body`.
  func lend<Result, Failure: Error>(
    _ ciphertext: UnsafeRawBufferPointer, to body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    port.pointee.input = ciphertext.baseAddress?.assumingMemoryBound(to: UInt8.self)
    port.pointee.input_count = ciphertext.count
    defer {
      port.pointee.input = nil
      port.pointee.input_count = 0
    }
    return try body()
  }
}
