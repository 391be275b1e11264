/// Decrypts a range of a sealed file while it is read.
///
///     let opener = FileOpener(keys: keys, header: header, plainByteCount: 200_000)
///     var stretch = opener.stretch(70_000..<140_000)     // chunks 1 and 2
///     read stretch.storedRange, and for each piece of it: try stretch.open(piece)
///
/// Only the chunks that contain requested bytes are read, and no bytes of a chunk that fails
/// authentication are returned.
package struct FileOpener: Sendable {
  private let keys: FileKeys
  private let prefix: [UInt8]
  private let plainByteCount: Int64

  /// - Parameters:
  ///   - header: The first 12 bytes of the stored file.
  ///   - plainByteCount: The length of the plain file; with a wrong length the last chunk fails.
  /// - Throws: ``SealedFileError/notSealed``.
  package init(
    keys: FileKeys, header: [UInt8], plainByteCount: Int64
  ) throws(SealedFileError) {
    guard let prefix = SealedHeader.prefix(of: header),
      (0...SealedLayout.maximumByteCount).contains(plainByteCount)
    else { throw .notSealed }
    self.keys = keys
    self.prefix = prefix
    self.plainByteCount = plainByteCount
  }

  /// A range of the plain file.
  ///
  /// - Parameter range: Clamped to the file; an empty range of a file that is not empty reads nothing.
  package func stretch(_ range: Range<Int64>) -> SealedStretch {
    SealedStretch(
      range.clamped(to: 0..<plainByteCount), of: plainByteCount, keys: keys, prefix: prefix)
  }
}

/// A range of a sealed file that is being decrypted.
package struct SealedStretch: ~Copyable, Sendable {
  private let wanted: Range<Int64>
  private let plainByteCount: Int64
  private let prefix: [UInt8]
  private let keys: FileKeys
  private var cipher: AuthenticatedCipher
  private var key: SymmetricKey
  /// The index of the next chunk.
  private var index: Int64
  /// One after the index of the last requested chunk.
  private let end: Int64
  /// The stored bytes of the next chunk that have been received.
  private var piece: [UInt8] = []

  init(_ wanted: Range<Int64>, of plainByteCount: Int64, keys: FileKeys, prefix: [UInt8]) {
    self.wanted = wanted
    self.plainByteCount = plainByteCount
    self.prefix = prefix
    self.keys = keys
    let size = Int64(SealedLayout.chunkByteCount)
    // The single chunk of an empty file proves that it is empty.
    let first = wanted.lowerBound / size
    index = first
    key = keys.key(ofChunk: UInt32(truncatingIfNeeded: first))
    cipher = AuthenticatedCipher(key)
    let isNothing = wanted.isEmpty && plainByteCount > 0
    end = isNothing ? first : max(wanted.upperBound - 1, 0) / size + 1
  }

  /// The range of stored bytes to read, in order.
  package var storedRange: Range<Int64> {
    let start = SealedLayout.storedOffset(ofChunk: index)
    guard index < end else { return start..<start }
    let whole = SealedLayout.storedByteCount(of: plainByteCount)
    return start..<min(SealedLayout.storedOffset(ofChunk: end), whole)
  }

  /// Decrypts stored bytes, and returns the requested plain ones.
  ///
  /// - Throws: ``SealedFileError/notAuthentic``; nothing more is returned after that.
  package mutating func open(_ stored: [UInt8]) throws(SealedFileError) -> [UInt8] {
    piece += stored
    var plain: [UInt8] = []
    var start = 0
    while index < end {
      let size = storedByteCount(ofChunk: index)
      guard piece.count - start >= size else { break }
      plain += try openChunk(start..<start + size)
      start += size
    }
    piece.removeFirst(start)
    guard index < end || piece.isEmpty else { throw .notAuthentic }
    return plain
  }

  /// Whether all requested bytes have been returned.
  package var isComplete: Bool { index == end }

  private mutating func openChunk(_ slice: Range<Int>) throws(SealedFileError) -> [UInt8] {
    let isLast = index == SealedLayout.chunkCount(of: plainByteCount) - 1
    let own = keys.key(ofChunk: UInt32(truncatingIfNeeded: index))
    if own != key {
      key = own
      cipher = AuthenticatedCipher(own)
    }
    let nonce = SealedLayout.nonce(
      prefix: prefix, chunk: UInt32(truncatingIfNeeded: index), isLast: isLast)
    guard let chunk = cipher.open(piece, slice, nonce: nonce) else {
      // No piece after this one can be opened.
      piece = []
      throw .notAuthentic
    }
    let start = index * Int64(SealedLayout.chunkByteCount)
    index += 1
    let part = wanted.clamped(to: start..<start + Int64(chunk.count))
    guard part.count < chunk.count else { return chunk }
    return Array(chunk[Int(part.lowerBound - start)..<Int(part.upperBound - start)])
  }

  private func storedByteCount(ofChunk index: Int64) -> Int {
    let start = SealedLayout.storedOffset(ofChunk: index)
    let whole = SealedLayout.storedByteCount(of: plainByteCount)
    return Int(min(SealedLayout.storedOffset(ofChunk: index + 1), whole) - start)
  }
}

/// The reason why a sealed file cannot be read.
package enum SealedFileError: Error, Equatable, Sendable {
  /// The file does not begin like a sealed file, or cannot have the given length.
  case notSealed
  /// A chunk was changed, moved or cut, or sealed with another key.
  case notAuthentic
}
