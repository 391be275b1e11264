/// The plain bytes of an unfinished upload that do not fill a chunk, encrypted.
///
/// They are rewritten whenever an upload pauses, so they have a key of their own and a nonce that is
/// generated each time: at most 2^32 pauses, far more than fit into an upload's lifetime, are within the
/// safe use of random nonces (NIST SP 800-38D, 8.3).
package struct SealedTail: ~Copyable, Sendable {
  /// The number of bytes that a sealed tail has in addition to the plain one.
  package static let extraByteCount =
    AuthenticatedCipher.nonceByteCount + AuthenticatedCipher.tagByteCount

  private var cipher: AuthenticatedCipher
  private let fileID: String

  package init(key: SymmetricKey, fileID: String) {
    cipher = AuthenticatedCipher(key)
    self.fileID = fileID
  }

  /// Seals a tail that follows a number of chunks.
  package mutating func seal(_ tail: [UInt8], behind chunkCount: UInt32) -> [UInt8] {
    let nonce = SecureRandom.bytes(count: AuthenticatedCipher.nonceByteCount)
    return nonce + cipher.seal(tail, nonce: nonce, context: context(chunkCount))
  }

  /// Opens a tail.
  ///
  /// - Throws: ``SealedFileError/notAuthentic`` for a tail of another file or position.
  package mutating func open(
    _ sealed: [UInt8], behind chunkCount: UInt32
  ) throws(SealedFileError) -> [UInt8] {
    let nonceByteCount = AuthenticatedCipher.nonceByteCount
    guard sealed.count > nonceByteCount,
      let tail = cipher.open(
        sealed, nonceByteCount..<sealed.count, nonce: Array(sealed[..<nonceByteCount]),
        context: context(chunkCount))
    else { throw .notAuthentic }
    return tail
  }

  private func context(_ chunkCount: UInt32) -> [UInt8] {
    Array("\(fileID) \(chunkCount)".utf8)
  }
}
