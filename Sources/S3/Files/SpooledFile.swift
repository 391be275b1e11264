import Reactor
import Store
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
    /// Segments that were joined to others; the recorded end may still be that of one of them.
    var replaced: [UploadSegment] = []
  }

  /// Bytes that are read from the disk at a time.
  private static let stretch = 1 << 20

  /// - Parameter segments: Those of the file's beginning in the bucket.
  init(
    _ request: PartialFileRequest, _ file: any PartialFile, behind segments: UploadSegments,
    in spool: UploadSpool
  ) {
    (id, term) = (request.id, request.term)
    self.file = file
    self.spool = spool
    state = Mutex(State(segments: segments))
    // The upload may be tried again, and the store has its object removed when it is given up.
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

  /// Stores the bytes before an end that no segment has.
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

  // MARK: The whole

  /// A copy stays on the disk until the bucket has the file: a failure loses nothing.
  func complete(completion: @escaping FileCompletion<Void>) {
    file.complete { [self] result in
      switch result {
      case .success: send(from: 0, completion)
      case .failure(let failure): completion(.failure(failure))
      }
    }
  }

  private func send(from offset: Int64, _ completion: @escaping FileCompletion<Void>) {
    guard case .local(let file)? = try? spool.disk.open(id),
      let bytes = try? file.read(from: offset, atMost: Self.stretch)
    else {
      upload.discard()
      return fail(completion)
    }
    guard !bytes.isEmpty else { return finish(completion) }
    upload.write(bytes) { [self] result in
      guard case .success = result else { return fail(completion) }
      send(from: offset + Int64(bytes.count), completion)
    }
  }

  private func finish(_ completion: @escaping FileCompletion<Void>) {
    upload.complete { [self] result in
      guard case .success = result else { return fail(completion) }
      // A copy again, which is removed in any case: another request may have taken the upload over.
      spool.disk.reopen(id)
      completion(.success(()))
    }
  }

  private func fail(_ completion: @escaping FileCompletion<Void>) {
    spool.disk.reopen(id)
    completion(.failure(.storage))
  }

  func removeRemains() {
    spool.removeCopies(of: [id])
    spool.remove(state.withLock { $0.replaced + $0.segments.segments }, of: id)
  }
}
