internal import SealedFiles
package import Uploads

/// A file that is received over several requests, and outlives processes.
///
/// Requests are carried out in order, on threads of the depot. After one has failed, all later ones
/// fail. A file that is let go keeps its bytes until it is removed by its id.
package protocol PartialFile: AnyObject, Sendable {
  /// The bytes that were taken and are still in memory.
  var heldByteCount: Int { get }

  /// Appends bytes.
  ///
  /// - Parameter completion: Called when more may come without filling memory.
  func write(_ bytes: [UInt8], completion: @escaping FileCompletion<Void>)

  /// Compares the digest of what was written since the file was opened.
  func verify(_ digest: [UInt8], completion: @escaping FileCompletion<Bool>)

  /// Removes what lies behind an offset.
  func drop(to offset: Int64, completion: @escaping FileCompletion<Void>)

  /// Makes what was written durable.
  ///
  /// The outcome may be ahead of what is known to be written.
  func synchronize(completion: @escaping FileCompletion<PartialProgress>)

  /// Writes what is left of the last chunk and makes the whole durable, where it is.
  ///
  /// - Parameter completion: Takes the bytes of the stored file.
  func finish(completion: @escaping FileCompletion<Int64>)

  /// Finishes the file and makes it complete, under its id, for good.
  func complete(completion: @escaping FileCompletion<Void>)

  /// Removes the remains of the upload, once the store knows that the file is complete.
  func removeRemains()
}

/// Takes the outcome of work on a file, on a thread of the depot.
package typealias FileCompletion<Value> = @Sendable (Result<Value, PartialFileFailure>) -> Void

/// The request to continue a file.
package struct PartialFileRequest: Sendable {
  package var id: String
  /// Counts the requests to the file; none has that of another.
  package var term: Int64
  /// The bytes that are kept; what lies behind them is removed.
  package var offset: Int64
  /// Bytes of the whole file.
  package var size: Int64
  /// The digest that is computed of what is written.
  package var algorithm: UploadChecksum.Algorithm?
  /// The keys of a file that is to be stored encrypted.
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

  /// The bytes of the stored file before the offset, without those that fill no chunk.
  package var storedByteCount: Int64 {
    guard let sealing, offset > 0 else { return offset }
    return SealedLayout.storedByteCount(
      ofChunks: PartialSealing.chunkCount(before: offset, tail: sealing.tail))
  }
}

/// The place up to which a file is durable.
package struct PartialProgress: Sendable {
  package let offset: Int64
  /// The bytes of the stored file, which has fewer than come before the offset while the last of them
  /// fill no chunk.
  package let storedByteCount: Int64
  /// The rest of an encrypted file; `nil` for one in the clear.
  package let rest: UploadRest?
}
