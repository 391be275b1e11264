internal import Curl
package import Logging
import Synchronization
internal import Uploads

/// Files as objects of a bucket, which any number of servers may use at the same time.
///
/// When the bucket fails, uploads and downloads fail; the rest of the server keeps working.
package final class S3Depot: FileDepot {
  private let client: S3Client
  private let bucket: S3Bucket
  private let spool: UploadSpool

  /// - Parameter disk: A place on this server for unfinished uploads.
  /// - Throws: An error with a message when libcurl or a thread is missing.
  package init(_ account: S3Account, spoolingTo disk: DirectoryDepot, logger: Logger) throws {
    client = try S3Client(account, logger: logger)
    bucket = S3Bucket(client, prefix: account.prefix)
    spool = UploadSpool(on: disk, before: bucket)
  }

  /// Does not wait: an unusable bucket is reported in the log.
  package func prepare() throws {
    try spool.prepare()
    bucket.abortOldUploads()
  }

  package func beginUpload(_ id: String) -> any FileUpload {
    S3Upload(id: id, to: bucket, failingInto: .nothing)
  }

  package func beginReplacement(of id: String) -> any FileUpload {
    S3Upload(id: id, to: bucket, failingInto: .anyObject)
  }

  package func continueUpload(
    _ request: PartialFileRequest, completion: @escaping FileCompletion<any PartialFile>
  ) {
    spool.open(request, completion: completion)
  }

  package func open(_ id: String) -> ReadableFile {
    .remote(S3File(id: id, bucket: bucket))
  }

  package func remove(
    _ ids: [String], completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    guard !ids.isEmpty else { return completion(.success(())) }
    spool.removeCopies(of: ids)
    let removal = Removal(count: ids.count, completion)
    for id in ids {
      bucket.remove(id) { [spool] result in
        // The bucket works now; a segment that still remains is found once it is old.
        spool.removeSegments(of: id, before: .max)
        removal.end(result.mapError { $0 })
      }
    }
  }

  package func suspects(
    after token: String?,
    completion: @escaping @Sendable (Result<FilePage, any Error>) -> Void
  ) {
    bucket.listOld(after: token) { result in
      completion(result.map { FilePage(ids: $0.ids, next: $0.next) }.mapError { $0 })
    }
  }

  package func close() {
    spool.close()
    client.stop()
  }

  /// The removal of several objects.
  private final class Removal: Sendable {
    private let missing: Mutex<Int>
    private let completion: @Sendable (Result<Void, any Error>) -> Void

    init(count: Int, _ completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
      missing = Mutex(count)
      self.completion = completion
    }

    /// Records the outcome for an object; the first failure counts for all.
    func end(_ result: Result<Void, any Error>) {
      let isLast = missing.withLock { missing in
        guard missing > 0 else { return false }
        if case .failure = result { missing = 0 } else { missing -= 1 }
        return missing == 0
      }
      if isLast { completion(result) }
    }
  }
}

/// A complete file in a bucket.
struct S3File: RemoteFile {
  let id: String
  let bucket: S3Bucket

  /// About as much as a download buffers while the client does not read.
  var maximumStretch: Int { 262_144 }

  func measure(
    completion: @escaping @Sendable (Result<Int64, FileReadError>) -> Void
  ) -> FileReading {
    reading(
      bucket.measure(id) { result in
        completion(Self.reading(result))
      })
  }

  func read(
    _ range: Range<Int64>,
    completion: @escaping @Sendable (Result<FileStretch, FileReadError>) -> Void
  ) -> FileReading {
    reading(
      bucket.read(id, range) { result in
        completion(
          Self.reading(result).map {
            FileStretch(bytes: $0.bytes, fileByteCount: $0.objectByteCount)
          })
      })
  }

  private func reading(_ request: UInt64) -> FileReading {
    FileReading { [bucket] in bucket.cancel(request) }
  }

  private static func reading<Value>(
    _ result: Result<Value?, S3Error>
  ) -> Result<Value, FileReadError> {
    switch result {
    case .success(let value?): .success(value)
    case .success(nil): .failure(.missing)
    case .failure(let error): .failure(.unavailable(reason: "\(error)"))
    }
  }
}
