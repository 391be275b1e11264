import Reactor
import Synchronization
import Uploads

/// A file that is received over several requests on this server's disk, and stored in the bucket: in
/// segments at each pause, and as a whole when it is complete.
final class SpooledFile: PartialFile {
  private let id: String
  private let term: Int64
  private let file: any PartialFile
  private let spool: UploadSpool
  private let upload: any FileUpload
  private let state: Mutex<State>

  private struct State {
    var segments: UploadSegments
    /// Segments that were joined to others; one of them may still be the recorded end.
    var replaced: [UploadSegment] = []
  }

  /// The number of bytes read from the disk at a time.
  private static let stretch: Int64 = 1 << 20

  /// - Parameter segments: The segments at the beginning of the file in the bucket.
  init(
    _ request: PartialFileRequest, _ file: any PartialFile, behind segments: UploadSegments,
    in spool: UploadSpool
  ) {
    (id, term) = (request.id, request.term)
    self.file = file
    self.spool = spool
    state = Mutex(State(segments: segments))
    // The upload may be retried, and the store has its object removed when the upload is abandoned.
    upload = S3Upload(id: request.id, to: spool.bucket, failingInto: .anyObject)
  }

  var heldByteCount: Int { file.heldByteCount + upload.heldByteCount }

  func write(_ bytes: [UInt8], completion: @escaping FileCompletion<Void>) {
    file.write(bytes, completion: completion)
  }

  func verify(_ digest: [UInt8], completion: @escaping FileCompletion<Bool>) {
    file.verify(digest, completion: completion)
  }

  func drop(to offset: Int64, completion: @escaping FileCompletion<Void>) {
    file.drop(to: offset, completion: completion)
  }

  // MARK: Segments

  func synchronize(completion: @escaping FileCompletion<PartialProgress>) {
    file.synchronize { [self] result in
      switch result {
      case .failure(let failure): completion(.failure(failure))
      case .success(let progress):
        store(upTo: progress.storedByteCount) { completion($0.map { progress }) }
      }
    }
  }

  /// Stores the bytes before an end that are not in any segment.
  private func store(upTo end: Int64, _ completion: @escaping FileCompletion<Void>) {
    let (next, last) = state.withLock { state in
      (state.segments.next(towards: end, term: term), state.segments.segments.last)
    }
    guard let next else {
      spool.copies.note(id, endingWith: last)
      return completion(.success(()))
    }
    spool.permits.acquire { [self] in
      guard let bytes = try? spool.disk.readPartial(id, next.range) else {
        spool.permits.release()
        return completion(.failure(.storage))
      }
      _ = spool.bucket.put(next.path(of: id), bytes) { [self] result in
        spool.permits.release()
        guard case .success = result else { return completion(.failure(.storage)) }
        state.withLock { $0.replaced += $0.segments.append(next) }
        store(upTo: end, completion)
      }
    }
  }

  // MARK: The whole file

  func finish(completion: @escaping FileCompletion<Int64>) { file.finish(completion: completion) }

  /// The copy stays unchanged on the disk until the store has recorded the object: a failure loses
  /// nothing, and another request may have taken over the upload.
  func complete(completion: @escaping FileCompletion<Void>) {
    finish { [self] result in
      switch result {
      case .success(let byteCount): send(0..<byteCount, completion)
      case .failure(let failure): completion(.failure(failure))
      }
    }
  }

  /// Sends a range of the copy, which is the rest of the file, to the bucket.
  private func send(_ rest: Range<Int64>, _ completion: @escaping FileCompletion<Void>) {
    guard !rest.isEmpty else {
      return upload.complete { completion($0.mapError { _ in .storage }) }
    }
    let end = min(rest.lowerBound + Self.stretch, rest.upperBound)
    guard let bytes = try? spool.disk.readPartial(id, rest.lowerBound..<end) else {
      upload.discard()
      return completion(.failure(.storage))
    }
    upload.write(bytes) { [self] result in
      guard case .success = result else { return completion(.failure(.storage)) }
      send(end..<rest.upperBound, completion)
    }
  }

  func removeRemains() {
    spool.removeCopies(of: [id])
    spool.remove(state.withLock { $0.replaced + $0.segments.segments }, of: id)
  }
}
