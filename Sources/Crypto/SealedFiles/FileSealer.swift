/// Encrypts a file while it is received.
///
/// A chunk is sealed when a byte after it has been received, because only then it is known not to be the
/// last. So up to 65,536 bytes wait, the ``tail``; nothing else is held. A key seals one file only. A
/// sealer that continues a file whose later chunks were sealed before, and lost, needs another key:
/// reusing a chunk number with other bytes would reveal both.
package struct FileSealer: ~Copyable, Sendable {
  private let prefix: [UInt8]
  private var cipher: AuthenticatedCipher
  private var chunkCount: UInt32
  /// The plain bytes that are not sealed yet.
  package private(set) var tail: [UInt8]

  /// A sealer for a new file.
  ///
  /// - Parameters:
  ///   - key: A key that no other file uses.
  ///   - prefix: Seven random bytes, the part of all nonces that is specific to this file.
  package init(
    key: SymmetricKey,
    prefix: [UInt8] = SecureRandom.bytes(count: SealedLayout.prefixByteCount)
  ) {
    precondition(prefix.count == SealedLayout.prefixByteCount)
    self.prefix = prefix
    cipher = AuthenticatedCipher(key)
    chunkCount = 0
    tail = []
  }

  /// A sealer that continues after previously sealed chunks.
  ///
  /// - Parameters:
  ///   - header: The first 12 bytes of the file.
  ///   - chunkCount: The number of stored chunks; no chunk after them was ever sealed.
  ///   - tail: The plain bytes that waited.
  /// - Returns: `nil` when the header is not that of a sealed file.
  package init?(key: SymmetricKey, header: [UInt8], chunkCount: UInt32, tail: [UInt8]) {
    guard let prefix = SealedHeader.prefix(of: header) else { return nil }
    self.prefix = prefix
    cipher = AuthenticatedCipher(key)
    self.chunkCount = chunkCount
    self.tail = tail
  }

  /// The first bytes of a stored file.
  package var header: [UInt8] { SealedLayout.mark + prefix }

  /// The number of plain bytes so far.
  package var byteCount: Int64 {
    Int64(chunkCount) * Int64(SealedLayout.chunkByteCount) + Int64(tail.count)
  }

  /// Adds plain bytes, and returns the chunks that are complete.
  ///
  /// - Precondition: The file stays within ``SealedLayout/maximumByteCount``.
  package mutating func seal(_ bytes: [UInt8]) -> [UInt8] {
    let size = SealedLayout.chunkByteCount
    guard tail.count + bytes.count > size else {
      tail += bytes
      return []
    }
    var sealed: [UInt8] = []
    sealed.reserveCapacity(
      (tail.count + bytes.count) / size * SealedLayout.storedChunkByteCount)
    var start = 0
    if !tail.isEmpty {
      start = size - tail.count
      tail += bytes[..<start]
      sealed += sealChunk(tail, tail.indices, isLast: false)
      tail.removeAll(keepingCapacity: true)
    }
    while bytes.count - start > size {
      sealed += sealChunk(bytes, start..<start + size, isLast: false)
      start += size
    }
    tail += bytes[start...]
    return sealed
  }

  /// Returns the last chunk, and ends the sealer.
  package consuming func finish() -> [UInt8] {
    sealChunk(tail, tail.indices, isLast: true)
  }

  private mutating func sealChunk(
    _ bytes: [UInt8], _ slice: Range<Int>, isLast: Bool
  ) -> [UInt8] {
    let nonce = SealedLayout.nonce(prefix: prefix, chunk: chunkCount, isLast: isLast)
    if !isLast { chunkCount += 1 }
    return cipher.seal(bytes, slice, nonce: nonce)
  }
}

/// The first bytes of a sealed file.
enum SealedHeader {
  /// The seven bytes that all nonces of the file begin with; `nil` unless the header is a sealed file's.
  static func prefix(of header: [UInt8]) -> [UInt8]? {
    guard header.count == SealedLayout.headerByteCount, header.starts(with: SealedLayout.mark)
    else { return nil }
    return Array(header[SealedLayout.mark.count...])
  }
}
