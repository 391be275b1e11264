import Crypto
import HTTP
import ParleyProtocol
import Reactor
import Store
import Uploads

/// The compressed file that the work at a request writes, which continues after restarts.
///
/// It lies where uploads lie, encrypted when there is a master key. Each piece is a gzip member of its
/// own, so a file that was cut back to its durable bytes can be continued. Confined to its shard; the
/// work with bytes runs on the threads of files.
final class LongFile {
  /// The reason why the file cannot be written.
  enum Failure: Error, Sendable, Hashable {
    /// The server no longer has the request.
    case lost
    /// Durable bytes are missing.
    case shrunk
    case storage(reason: String)
    case keys(reason: String)
    /// The store cannot record it at present.
    case store(reason: String)
  }

  typealias Completion<Value> = (Result<Value, Failure>) -> Void

  /// The time for which a complete file is kept, in milliseconds.
  static let lifetime: Int64 = 7 * 86_400_000

  private unowned let shard: Shard
  private let request: LongRequest
  private let name: String
  private var record: UploadRecord?
  private var file: (any PartialFile)?
  /// The uncompressed bytes that were given.
  private(set) var contentByteCount: Int64 = 0
  /// The bytes of the file.
  private(set) var byteCount: Int64 = 0

  /// - Parameter name: For display.
  init(of request: LongRequest, named name: String, on shard: Shard) {
    self.request = request
    self.name = name
    self.shard = shard
    record = request.file
  }

  /// Opens the file at its durable bytes, or begins it, also when durable bytes were lost: then
  /// ``byteCount`` is 0, and the work starts over.
  func open(_ completion: @escaping Completion<Void>) {
    begin(at: record?.offset ?? 0) { [self] result in
      if case .failure(.shrunk) = result { begin(at: 0, completion) } else { completion(result) }
    }
  }

  private func begin(at offset: Int64, _ completion: @escaping Completion<Void>) {
    let (services, now) = (shard.services, shard.services.clock.now)
    let secret = UploadSecret()
    let isNew = record == nil
    let record =
      self.record
      ?? UploadRecord(
        fileID: FileID.make(), userID: "", name: name, type: "application/gzip", size: 0,
        createdAt: now, expiresAt: now + Self.lifetime,
        seal: services.vault.masters == nil ? nil : UploadSeal())
    self.record = record
    let sealing: (kept: UploadSeal, used: PartialSealing)?
    do throws(WrappedKeyError) {
      sealing = try services.vault.sealing(of: record, at: offset)
    } catch {
      let refusal = services.vault.refusal(of: error, ofFile: record.fileID)
      return completion(.failure(.keys(reason: refusal.message)))
    }
    var opening = LongRequestFile(request, new: nil, sealedSecret: nil, sealedBy: sealing?.kept)
    if isNew {
      opening.upload = NewUpload(record, secretHash: Self.secretHash(ofText: secret.text))
      opening.sealedSecret = secret.sealed(
        fileID: record.fileID, key: services.apiTokens.sealingKey)
    }
    if let kept = sealing?.kept { self.record?.seal = kept }
    let part = PartialFileRequest(
      id: record.fileID, term: request.term * 2, offset: offset, size: offset,
      sealing: sealing?.used)
    let (path, this, done) = (shard.returnPath, LoopBound(self), LoopBound(Box(completion)))
    services.store.perform(opening) { result in
      path.resume { _ in
        switch result {
        case .success(true): this.value.open(part, done.value.value)
        case .success(false): done.value.value(.failure(.lost))
        case .failure(let error): done.value.value(.failure(.store(reason: "\(error)")))
        }
      }
    }
  }

  private func open(_ part: PartialFileRequest, _ completion: @escaping Completion<Void>) {
    let (path, this, done) = (shard.returnPath, LoopBound(self), LoopBound(Box(completion)))
    shard.services.files.continueUpload(part) { result in
      path.resume { _ in
        switch result {
        case .success(let file):
          this.value.file = file
          this.value.byteCount = part.offset
          done.value.value(.success(()))
        case .failure(let failure): done.value.value(.failure(Failure(failure)))
        }
      }
    }
  }

  /// Appends a piece.
  func append(_ content: [UInt8], _ completion: @escaping Completion<Void>) {
    contentByteCount += Int64(content.count)
    let (path, this, done) = (shard.returnPath, LoopBound(self), LoopBound(Box(completion)))
    shard.services.files.perform {
      let member = GzipMember.compress(content)
      path.resume { _ in
        guard let member else {
          return done.value.value(.failure(.storage(reason: "there is no memory to compress it")))
        }
        this.value.write(member, done.value.value)
      }
    }
  }

  private func write(_ member: [UInt8], _ completion: @escaping Completion<Void>) {
    byteCount += Int64(member.count)
    guard let file else { return completion(.failure(.lost)) }
    file.write(member, completion: resumption(completion))
  }

  /// Makes the bytes durable.
  func synchronize(_ completion: @escaping Completion<LongRequestProgress.Part>) {
    let done = LoopBound(Box(completion))
    let path = shard.returnPath
    file?.synchronize { result in
      let part = result.map { LongRequestProgress.Part(offset: $0.offset, rest: $0.rest) }
      path.resume { _ in done.value.value(part.mapError { Failure($0) }) }
    }
  }

  /// Completes the file, all of whose bytes are durable and recorded.
  ///
  /// - Parameter part: The recorded part.
  /// - Parameter completion: Receives the size of the file.
  private func complete(
    _ part: LongRequestProgress.Part, _ completion: @escaping Completion<Int64>
  ) {
    let size = part.offset
    file = nil
    guard var record else { return completion(.failure(.lost)) }
    record.offset = size
    if let rest = part.rest {
      record.seal?.tail = rest.tail
      record.seal?.isDirty = false
    }
    let sealing: PartialSealing?
    do throws(WrappedKeyError) {
      sealing = try shard.services.vault.sealing(of: record, at: size)?.used
    } catch {
      let refusal = shard.services.vault.refusal(of: error, ofFile: record.fileID)
      return completion(.failure(.keys(reason: refusal.message)))
    }
    let whole = PartialFileRequest(
      id: record.fileID, term: request.term * 2 + 1, offset: size, size: size, sealing: sealing)
    open(whole) { [self] result in
      guard case .success = result, let file else {
        return completion(result.map { size })
      }
      file.complete(completion: resumption { completion($0.map { size }) })
    }
  }

  /// Completes the file, as the last step of the work.
  ///
  /// - Parameter part: The recorded part.
  func finish(
    _ part: LongRequestProgress.Part, _ completion: @escaping (LongRequestRun.Step) -> Void
  ) {
    complete(part) { [self] result in
      switch result {
      case .failure(let failure): completion(LongRequestRun.Step(failure))
      case .success(let size):
        let expiry = shard.services.clock.now + Self.lifetime
        completion(.finished(.done(fileSize: size, expiry: expiry)))
      }
    }
  }

  /// Removes what was needed to receive the file, once it is recorded as complete.
  func removeRemains() {
    file?.removeRemains()
    file = nil
  }

  private func resumption(
    _ completion: @escaping Completion<Void>
  ) -> FileCompletion<Void> {
    let (path, done) = (shard.returnPath, LoopBound(Box(completion)))
    return { result in
      path.resume { _ in done.value.value(result.mapError { Failure($0) }) }
    }
  }

  /// The hash by which the store finds the file of an address: another one than that of uploads, whose
  /// addresses may change the file.
  static func secretHash(ofText text: String) -> [UInt8] {
    UploadSecret.hash(ofText: "long request \(text)")
  }
}

/// A closure that stays on its thread.
private final class Box<Value> {
  let value: Value

  init(_ value: Value) { self.value = value }
}

extension LongFile.Failure {
  fileprivate init(_ failure: PartialFileFailure) {
    switch failure {
    case .full: self = .storage(reason: "there is no room for the file")
    case .shrunk: self = .shrunk
    case .storage: self = .storage(reason: "the file cannot be written")
    }
  }
}
