internal import Crypto
package import Uploads

/// A file that is received over several requests and persists across processes.
///
/// Requests are carried out in order, on threads of the depot. After one has failed, all later ones
/// fail. A file that is released keeps its bytes until it is removed by its id.
package protocol PartialFile: AnyObject, Sendable {
  /// The bytes that were accepted and are still in memory.
  var heldByteCount: Int { get }

  /// Appends bytes.
  ///
  /// - Parameter completion: Called when more bytes can be accepted without filling memory.
  func write(_ bytes: [UInt8], completion: @escaping FileCompletion<Void>)

  /// Compares a digest with that of the bytes written since the file was opened.
  func verify(_ digest: [UInt8], completion: @escaping FileCompletion<Bool>)

  /// Removes the bytes after an offset.
  func drop(to offset: Int64, completion: @escaping FileCompletion<Void>)

  /// Makes the written bytes durable.
  ///
  /// The reported progress may include bytes written after the call.
  func synchronize(completion: @escaping FileCompletion<PartialProgress>)

  /// Writes the rest of the last chunk and makes the whole file durable, without moving it.
  ///
  /// - Parameter completion: Receives the size of the stored file in bytes.
  func finish(completion: @escaping FileCompletion<Int64>)

  /// Finishes the file and completes it under its id, durably.
  func complete(completion: @escaping FileCompletion<Void>)

  /// Removes the remains of the upload, once the store has recorded that the file is complete.
  func removeRemains()
}

/// Receives the outcome of work on a file, on a thread of the depot.
package typealias FileCompletion<Value> = @Sendable (Result<Value, PartialFileFailure>) -> Void

/// A request to continue a file.
package struct PartialFileRequest: Sendable {
  package var id: String
  /// The number of this request among those to the file; unique for each request.
  package var term: Int64
  /// The number of bytes to keep; bytes after them are removed.
  package var offset: Int64
  /// The size of the whole file in bytes.
  package var size: Int64
  /// The digest to compute over the written bytes.
  package var algorithm: UploadChecksum.Algorithm?
  /// The keys of a file that is stored encrypted.
  package var sealing: PartialSealing?

  package init(
    id: String, term: Int64, offset: Int64, size: Int64,
    algorithm: UploadChecksum.Algorithm? = nil, sealing: PartialSealing? = nil
  ) {
    self.sealing = sealing
    self.id = id
    self.term = term
    self.offset = offset
    self.size = size
    self.algorithm = algorithm
  }

  /// The size of the stored file before the offset, without bytes that do not fill a chunk.
  package var storedByteCount: Int64 {
    guard let sealing, offset > 0 else { return offset }
    return SealedLayout.storedByteCount(
      ofChunks: PartialSealing.chunkCount(before: offset, tail: sealing.tail))
  }
}

/// The position up to which a file is durable.
package struct PartialProgress: Sendable {
  package let offset: Int64
  /// The size of the stored file, which is smaller than the offset implies while the last bytes do not
  /// fill a chunk.
  package let storedByteCount: Int64
  /// The rest of an encrypted file; `nil` for an unencrypted one.
  package let rest: UploadRest?
}
