/// The format of an encrypted file, and the positions of its bytes.
///
///     "PRLY"  1  prefix          12 bytes: mark, version, 7 random bytes
///     chunk 0                    65,536 bytes of ciphertext, and 16 that authenticate them
///     chunk 1                    ...
///     last chunk                 0 to 65,536 bytes of ciphertext, and 16
///
/// Each chunk is sealed by AES-256-GCM under the file's own key. Its nonce is the prefix, the chunk's
/// number as 32 bits with the highest byte first, and a byte that is 1 for the last chunk and 0 for any
/// other: the STREAM construction (Hoang, Reyhanitabar, Rogaway and Vizár, 2015). So a chunk that was
/// moved, cut off or taken from another file does not authenticate. Only an empty file has an empty chunk.
package enum SealedLayout {
  /// The number of plain bytes in each chunk but the last.
  package static let chunkByteCount = 65_536
  /// The number of bytes before the first chunk.
  package static let headerByteCount = 12
  /// The number of stored bytes of each chunk but the last.
  package static let storedChunkByteCount = chunkByteCount + AuthenticatedCipher.tagByteCount
  /// The number of plain bytes in the longest file: chunks are numbered by 32 bits.
  package static let maximumByteCount = Int64(chunkByteCount) << 32

  static let mark: [UInt8] = Array("PRLY".utf8) + [1]
  static let prefixByteCount = headerByteCount - mark.count

  /// The number of chunks in a file; an empty file has one.
  package static func chunkCount(of plainByteCount: Int64) -> Int64 {
    max((plainByteCount + Int64(chunkByteCount) - 1) / Int64(chunkByteCount), 1)
  }

  /// The number of stored bytes of a file.
  package static func storedByteCount(of plainByteCount: Int64) -> Int64 {
    let tags = chunkCount(of: plainByteCount) * Int64(AuthenticatedCipher.tagByteCount)
    return Int64(headerByteCount) + plainByteCount + tags
  }

  /// The number of stored bytes of a file's header and its first chunks.
  package static func storedByteCount(ofChunks count: UInt32) -> Int64 {
    storedOffset(ofChunk: Int64(count))
  }

  /// The number of whole chunks in the first bytes of a stored file.
  package static func chunkCount(inStored byteCount: Int64) -> UInt32 {
    UInt32(clamping: max(0, byteCount - Int64(headerByteCount)) / Int64(storedChunkByteCount))
  }

  /// The number of plain bytes of a stored file; `nil` when no file is stored in this number of bytes.
  package static func plainByteCount(of storedByteCount: Int64) -> Int64? {
    let chunks = storedByteCount - Int64(headerByteCount)
    let tagByteCount = Int64(AuthenticatedCipher.tagByteCount)
    guard chunks >= tagByteCount, storedByteCount <= self.storedByteCount(of: maximumByteCount)
    else { return nil }
    let stride = Int64(storedChunkByteCount)
    let chunkCount = (chunks + stride - 1) / stride
    let plain = chunks - chunkCount * tagByteCount
    return self.storedByteCount(of: plain) == storedByteCount ? plain : nil
  }

  /// The offset of a chunk's first stored byte.
  static func storedOffset(ofChunk index: Int64) -> Int64 {
    Int64(headerByteCount) + index * Int64(storedChunkByteCount)
  }

  /// The nonce of a chunk.
  static func nonce(prefix: [UInt8], chunk index: UInt32, isLast: Bool) -> [UInt8] {
    var nonce = prefix
    for shift in stride(from: 24, through: 0, by: -8) {
      nonce.append(UInt8(truncatingIfNeeded: index >> UInt32(shift)))
    }
    nonce.append(isLast ? 1 : 0)
    return nonce
  }
}
