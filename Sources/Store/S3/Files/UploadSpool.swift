import Reactor
import Synchronization
import Uploads

/// The place of uploads over several requests, until they are complete.
///
/// A request writes to this server's disk. At each pause the new bytes are stored in the bucket as
/// segments, which any server can continue: S3 cannot append to objects, parts of an object have at
/// least 5 MiB, and uploads pause after any byte. Only segments are durable. The copy on the disk saves
/// a server that continues its own upload from reading them, and is the source of the final object.
final class UploadSpool: Sendable {
  let disk: DirectoryDepot
  let bucket: S3Bucket
  let copies = SpoolCopies()
  /// Limits the number of segments in memory, each of which is held as a whole.
  let permits = RequestPermits(count: 8)
  private let sweptAt = Mutex(ContinuousClock.now)

  /// The time between two sweeps of the disk.
  private static let sweepInterval = Duration.seconds(3_600)

  init(on disk: DirectoryDepot, before bucket: S3Bucket) {
    self.disk = disk
    self.bucket = bucket
  }

  func prepare() throws {
    try disk.prepare()
    disk.removeAbandonedPartials()
  }

  func open(_ request: PartialFileRequest, completion: @escaping FileCompletion<any PartialFile>) {
    sweep()
    let end = request.storedByteCount
    guard end > 0 else {
      copies.forget(request.id)
      // The segments of earlier requests are no longer needed.
      if request.term > 1 { removeSegments(of: request.id, before: request.term) }
      return openCopy(of: UploadSegments(), request, completion)
    }
    bucket.segments(of: request.id) { [self] result in
      switch result {
      case .success(let found): open(request, among: found, completion)
      case .failure: completion(.failure(.storage))
      }
    }
  }

  private func open(
    _ request: PartialFileRequest, among found: [UploadSegment],
    _ completion: @escaping FileCompletion<any PartialFile>
  ) {
    guard let segments = UploadSegments(endingAt: request.storedByteCount, among: found) else {
      return completion(.failure(.shrunk(to: 0)))
    }
    let used = Set(segments.segments)
    remove(found.filter { $0.term < request.term && !used.contains($0) }, of: request.id)
    guard copies.hasCopy(of: request.id, endingWith: segments.segments.last) else {
      return restore(segments, request, completion)
    }
    openCopy(of: segments, request) { [self] result in
      guard case .failure(.shrunk) = result else { return completion(result) }
      restore(segments, request, completion)
    }
  }

  /// Continues the copy on the disk, which contains the bytes of some segments.
  private func openCopy(
    of segments: UploadSegments, _ request: PartialFileRequest,
    _ completion: @escaping FileCompletion<any PartialFile>
  ) {
    disk.continueUpload(request) { [self] result in
      completion(result.map { SpooledFile(request, $0, behind: segments, in: self) })
    }
  }

  /// Copies segments to the disk, and continues from there.
  private func restore(
    _ segments: UploadSegments, _ request: PartialFileRequest,
    _ completion: @escaping FileCompletion<any PartialFile>
  ) {
    copies.forget(request.id)
    var copy = request
    (copy.offset, copy.size, copy.sealing, copy.algorithm) = (0, segments.byteCount, nil, nil)
    disk.continueUpload(copy) { [self] result in
      switch result {
      case .failure(let failure): completion(.failure(failure))
      case .success(let file):
        restore(segments.segments[...], of: request.id, into: file) { [self] result in
          switch result {
          case .failure(let failure): completion(.failure(failure))
          case .success:
            copies.note(request.id, endingWith: segments.segments.last)
            openCopy(of: segments, request, completion)
          }
        }
      }
    }
  }

  private func restore(
    _ segments: ArraySlice<UploadSegment>, of fileID: String, into file: any PartialFile,
    _ completion: @escaping FileCompletion<Void>
  ) {
    guard let segment = segments.first else { return completion(.success(())) }
    permits.acquire { [self] in
      bucket.read(segment, of: fileID) { [self] result in
        guard case .success(let bytes?) = result else {
          permits.release()
          return completion(.failure(.storage))
        }
        file.write(bytes) { [self] result in
          permits.release()
          switch result {
          case .failure(let failure): completion(.failure(failure))
          case .success: restore(segments.dropFirst(), of: fileID, into: file, completion)
          }
        }
      }
    }
  }

  /// Removes files from the disk.
  func removeCopies(of fileIDs: [String]) {
    disk.remove(fileIDs) { _ in }
    for id in fileIDs { copies.forget(id) }
  }

  /// Removes segments; retries until it succeeds.
  func remove(_ segments: [UploadSegment], of fileID: String) {
    for segment in segments { bucket.remove(segment.path(of: fileID)) { _ in } }
  }

  /// Removes the segments of a file stored by requests before the given one.
  func removeSegments(of fileID: String, before term: Int64) {
    bucket.segments(of: fileID) { [self] result in
      guard case .success(let found) = result else { return }
      remove(found.filter { $0.term < term }, of: fileID)
    }
  }

  /// Periodically removes copies that have not changed for a day: their uploads may be complete on
  /// another server.
  private func sweep() {
    let isDue = sweptAt.withLock { sweptAt in
      guard sweptAt.duration(to: .now) > Self.sweepInterval else { return false }
      sweptAt = .now
      return true
    }
    if isDue { disk.removeAbandonedPartials() }
  }

  func close() { disk.close() }
}
