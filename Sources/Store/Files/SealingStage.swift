package import Crypto
import Synchronization

/// The keys with which a file received over several requests is written.
package struct PartialSealing: Sendable {
  /// The keys of the file; further chunks are sealed with the last one.
  package let keys: FileKeys
  /// The key of the bytes that do not fill a chunk.
  package let tailKey: SymmetricKey
  /// The bytes before the offset that do not fill a chunk, as reported by ``PartialProgress``.
  package let tail: [UInt8]?

  package init(keys: FileKeys, tailKey: SymmetricKey, tail: [UInt8]?) {
    self.keys = keys
    self.tailKey = tailKey
    self.tail = tail
  }

  /// The number of chunks before an offset that are on disk.
  package static func chunkCount(before offset: Int64, tail: [UInt8]?) -> UInt32 {
    let rest = Int64(tail.map { max(0, $0.count - SealedTail.extraByteCount) } ?? 0)
    return UInt32(clamping: max(0, offset - rest) / Int64(SealedLayout.chunkByteCount))
  }
}

/// Encrypts a file received over several requests, from the end of the last one.
///
/// Confined to the lane of its file.
final class PartialSealer {
  private let sealing: PartialSealing
  private let fileID: String
  private var sealer: FileSealer?
  private var tailCipher: SealedTail
  private let startCount: UInt32
  private let startTail: [UInt8]
  private let header: [UInt8]
  private var isDirty = false

  /// The size of the stored file before the bytes to come.
  let storedByteCount: Int64

  /// Continues a file that has a header, or starts one.
  ///
  /// - Parameter header: The first bytes of the stored file; `nil` to start a file.
  /// - Throws: ``SealedFileError`` for a tail or a header of another file.
  init(
    _ sealing: PartialSealing, ofFile fileID: String, at offset: Int64, header: [UInt8]?
  ) throws(SealedFileError) {
    self.sealing = sealing
    self.fileID = fileID
    var cipher = SealedTail(key: sealing.tailKey, fileID: fileID)
    guard let header, offset > 0 else {
      let sealer = FileSealer(key: sealing.keys.last)
      self.header = sealer.header
      self.sealer = consume sealer
      (startCount, startTail, storedByteCount) = (0, [], 0)
      tailCipher = consume cipher
      return
    }
    let count = PartialSealing.chunkCount(before: offset, tail: sealing.tail)
    var tail: [UInt8] = []
    if let sealed = sealing.tail { tail = try cipher.open(sealed, behind: count) }
    guard Int64(count) * Int64(SealedLayout.chunkByteCount) + Int64(tail.count) == offset,
      let sealer = FileSealer(
        key: sealing.keys.last, header: header, chunkCount: count, tail: tail)
    else { throw .notSealed }
    self.header = header
    self.sealer = consume sealer
    (startCount, startTail) = (count, tail)
    storedByteCount = SealedLayout.storedByteCount(ofChunks: count)
    tailCipher = consume cipher
  }

  /// The first bytes of a new file; empty for one that is continued.
  var firstBytes: [UInt8] { storedByteCount == 0 ? header : [] }

  func seal(_ bytes: [UInt8]) -> [UInt8] { sealer?.seal(bytes) ?? [] }

  /// Returns to the position where the request started.
  ///
  /// Chunks sealed since then are lost, so the key must not seal any others.
  ///
  /// - Returns: The remaining size of the stored file.
  func drop() -> Int64 {
    isDirty = true
    sealer = FileSealer(
      key: sealing.keys.last, header: header, chunkCount: startCount, tail: startTail)
    return SealedLayout.storedByteCount(ofChunks: startCount)
  }

  /// The last chunk.
  func finish() -> [UInt8] { sealer.take()?.finish() ?? [] }

  var progress: PartialProgress? {
    guard let (offset, tail) = state else { return nil }
    let count = UInt32(
      clamping: (offset - Int64(tail.count)) / Int64(SealedLayout.chunkByteCount))
    let sealed = tail.isEmpty ? nil : tailCipher.seal(tail, behind: count)
    return PartialProgress(
      offset: offset, storedByteCount: SealedLayout.storedByteCount(ofChunks: count),
      rest: UploadRest(tail: sealed, isDirty: isDirty))
  }

  private var state: (Int64, [UInt8])? {
    guard sealer != nil else { return nil }
    return (sealer?.byteCount ?? 0, sealer?.tail ?? [])
  }
}

/// Encrypts a file received in one request on its way to another upload.
final class SealingUpload: FileUpload {
  private let upload: any FileUpload
  private let state: Mutex<State>

  private struct State: ~Copyable {
    var sealer: FileSealer?
    var hasBegun = false
  }

  init(_ upload: any FileUpload, key: SymmetricKey) {
    self.upload = upload
    state = Mutex(State(sealer: FileSealer(key: key)))
  }

  var id: String { upload.id }

  var heldByteCount: Int { upload.heldByteCount + SealedLayout.chunkByteCount }

  func write(
    _ bytes: [UInt8], completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    let sealed = state.withLock { state -> [UInt8] in
      let head = state.hasBegun ? [] : state.sealer?.header ?? []
      state.hasBegun = true
      return head + (state.sealer?.seal(bytes) ?? [])
    }
    guard !sealed.isEmpty else { return completion(.success(())) }
    upload.write(sealed, completion: completion)
  }

  func complete(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
    let last = state.withLock { state -> [UInt8] in
      let head = state.hasBegun ? [] : state.sealer?.header ?? []
      state.hasBegun = true
      return head + (state.sealer.take()?.finish() ?? [])
    }
    upload.write(last) { [upload] result in
      switch result {
      case .success: upload.complete(completion: completion)
      case .failure: completion(result)
      }
    }
  }

  func discard() { upload.discard() }
}
