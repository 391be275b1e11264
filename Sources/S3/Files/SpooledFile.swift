import Reactor
import Store
import Uploads

/// A file that is received over several requests on this server's disk, and goes to the bucket when it
/// is complete.
final class SpooledFile: PartialFile {
  private let id: String
  private let file: any PartialFile
  private let spool: DirectoryDepot
  private let upload: any FileUpload

  /// Bytes that are read from the disk at a time.
  private static let stretch = 1 << 20

  init(_ id: String, _ file: any PartialFile, in spool: DirectoryDepot, to upload: any FileUpload) {
    self.id = id
    self.file = file
    self.spool = spool
    self.upload = upload
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

  func synchronize(completion: @escaping FileCompletion<PartialProgress?>) {
    file.synchronize(completion: completion)
  }

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
    guard case .local(let file)? = try? spool.open(id),
      let bytes = try? file.read(from: offset, atMost: Self.stretch)
    else {
      upload.discard()
      return completion(.failure(.storage))
    }
    guard !bytes.isEmpty else { return finish(completion) }
    upload.write(bytes) { [self] result in
      guard case .success = result else { return completion(.failure(.storage)) }
      send(from: offset + Int64(bytes.count), completion)
    }
  }

  private func finish(_ completion: @escaping FileCompletion<Void>) {
    upload.complete { [spool, id] result in
      guard case .success = result else { return completion(.failure(.storage)) }
      spool.remove([id]) { _ in }
      completion(.success(()))
    }
  }
}
