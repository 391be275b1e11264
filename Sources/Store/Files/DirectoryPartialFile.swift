import Crypto
import Glibc
import Reactor
import Synchronization
package import Uploads

/// A file in a directory that is received over several requests.
///
/// Its bytes are in `partial/` until it is complete.
final class DirectoryPartialFile: PartialFile {
  private let request: PartialFileRequest
  private let directory: FileDirectory
  private let others: PartialFiles
  private let lane: FileWorkers.Lane
  private let workers: FileWorkers
  /// Bytes of the file system that are kept free of uploads.
  private let reserve: Int64
  private let state = Mutex(State())
  private let heldBytes = Atomic(0)

  private struct State {
    var file: GrowingFile?
    /// The size that the file has unless something else writes to it.
    var storedByteCount: Int64 = 0
    var digest: RunningDigest?
    /// Encrypts the written bytes; `nil` for an unencrypted file.
    var sealer: PartialSealer?
    var failure: PartialFileFailure?
    var uncheckedByteCount = 0
    /// Bytes passed to the kernel whose write-back has not been started.
    var unwrittenByteCount = 0
  }

  /// Bytes after which the free space is checked again.
  private static let checkByteCount = 16 << 20
  /// Bytes after which write-back to the disk is started.
  ///
  /// The kernel alone would gather seconds of writes of all uploads and then block other writes.
  private static let writeBackByteCount = 1 << 20

  init(
    _ request: PartialFileRequest, in directory: FileDirectory, among others: PartialFiles,
    reserve: Int64, on workers: FileWorkers
  ) {
    self.request = request
    self.directory = directory
    self.others = others
    self.reserve = reserve
    self.workers = workers
    lane = workers.makeLane()
  }

  deinit {
    others.leave(request.id)
  }

  var heldByteCount: Int { heldBytes.load(ordering: .relaxed) }

  /// Opens the file at its offset.
  func open(completion: @escaping FileCompletion<any PartialFile>) {
    let older = others.enter(self, request.id)
    submit(completion) { [self] state in
      older?.retire()
      try checkRoom(for: request.size - request.offset)
      let path = directory.partialPath(of: request.id)
      // A process that ended while it completed the file left the file under its final name.
      if request.offset > 0, access(path, F_OK) != 0,
        Kernel.rename(directory.path(of: request.id), to: path) != 0
      {
        throw PartialFileFailure.shrunk(to: 0)
      }
      let file = try GrowingFile(at: path)
      if let sealing = request.sealing {
        let sealer = try continueSealing(sealing, file, at: path)
        state.storedByteCount = sealer.storedByteCount + Int64(sealer.firstBytes.count)
        state.sealer = sealer
      } else {
        let count = try file.byteCount()
        guard count >= request.offset else { throw PartialFileFailure.shrunk(to: count) }
        try file.cut(to: request.offset)
        state.storedByteCount = request.offset
      }
      if let algorithm = request.algorithm { state.digest = RunningDigest(.init(algorithm)) }
      state.file = file
      return self
    }
  }

  /// Ends the file after the work in progress: another request continues with it.
  private func retire() {
    state.withLock { state in
      state.failure = .storage
      state.file = nil
    }
  }

  private func continueSealing(
    _ sealing: PartialSealing, _ file: GrowingFile, at path: String
  ) throws -> PartialSealer {
    let stored = try file.byteCount()
    let lacking = PartialSealing.chunkCount(before: request.offset, tail: sealing.tail)
    let present = SealedLayout.chunkCount(inStored: stored)
    guard
      request.offset == 0 || present >= lacking && stored >= Int64(SealedLayout.headerByteCount)
    else {
      throw PartialFileFailure.shrunk(to: Int64(present) * Int64(SealedLayout.chunkByteCount))
    }
    var header: [UInt8]?
    if request.offset > 0 {
      let found = try OpenFile(readingFrom: path)
      let first = try found.read(from: 0, atMost: SealedLayout.headerByteCount)
      guard try isSealed(found, first, with: sealing.keys, upTo: lacking) else {
        throw PartialFileFailure.shrunk(to: 0)
      }
      header = first
    }
    let sealer = try PartialSealer(
      sealing, ofFile: request.id, at: request.offset, header: header)
    try file.cut(to: sealer.storedByteCount)
    try file.append(sealer.firstBytes)
    return sealer
  }

  /// Whether the last of some chunks was sealed with the keys of the upload.
  ///
  /// It was not if the upload has been restarted on another server since, with other keys.
  private func isSealed(
    _ file: OpenFile, _ header: [UInt8], with keys: FileKeys, upTo count: UInt32
  ) throws -> Bool {
    guard count > 0 else { return true }
    let end = Int64(count) * Int64(SealedLayout.chunkByteCount)
    let opener = try FileOpener(keys: keys, header: header, plainByteCount: request.size)
    var stretch = opener.stretch(end - Int64(SealedLayout.chunkByteCount)..<end)
    let range = stretch.storedRange
    let stored = try file.read(from: range.lowerBound, atMost: range.count)
    return (try? stretch.open(stored)) != nil && stretch.isComplete
  }

  func write(_ bytes: [UInt8], completion: @escaping FileCompletion<Void>) {
    heldBytes.add(bytes.count, ordering: .relaxed)
    submit(completion) { [self] state in
      defer { heldBytes.subtract(bytes.count, ordering: .relaxed) }
      state.uncheckedByteCount += bytes.count
      if state.uncheckedByteCount >= Self.checkByteCount {
        state.uncheckedByteCount = 0
        try checkRoom(for: 0)
      }
      let stored = state.sealer.map { $0.seal(bytes) } ?? bytes
      if !stored.isEmpty { try append(stored, to: &state) }
      state.digest?.add(bytes)
    }
  }

  private func append(_ bytes: [UInt8], to state: inout State) throws {
    let file = try intactFile(state)
    try file.append(bytes)
    state.storedByteCount += Int64(bytes.count)
    state.unwrittenByteCount += bytes.count
    guard state.unwrittenByteCount >= Self.writeBackByteCount else { return }
    let count = state.unwrittenByteCount
    state.unwrittenByteCount = 0
    workers.takeTurnAtDisk { file.writeBack(count) }
  }

  /// The file, if it ends where this request has written up to.
  ///
  /// Another server that took over the upload may have truncated it; writing beyond the end would leave
  /// a hole.
  private func intactFile(_ state: State) throws -> GrowingFile {
    guard let file = state.file, try file.byteCount() == state.storedByteCount else {
      throw PartialFileFailure.storage
    }
    return file
  }

  func verify(_ digest: [UInt8], completion: @escaping FileCompletion<Bool>) {
    submit(completion) { state in
      defer { state.digest = nil }
      return state.digest?.end() == digest
    }
  }

  func drop(to offset: Int64, completion: @escaping FileCompletion<Void>) {
    submit(completion) { state in
      let count = state.sealer?.drop() ?? offset
      try state.file?.cut(to: count)
      state.storedByteCount = count
    }
  }

  func synchronize(completion: @escaping FileCompletion<PartialProgress>) {
    submit(completion) { state in
      try state.file?.synchronize()
      guard let sealer = state.sealer else {
        let count = state.storedByteCount
        return PartialProgress(offset: count, storedByteCount: count, rest: nil)
      }
      guard let progress = sealer.progress else { throw PartialFileFailure.storage }
      return progress
    }
  }

  func finish(completion: @escaping FileCompletion<Int64>) {
    submit(completion) { [self] state in
      try finish(&state)
      return state.storedByteCount
    }
  }

  func complete(completion: @escaping FileCompletion<Void>) {
    submit(completion) { [self] state in
      try finish(&state)
      try directory.keepPartial(request.id)
      state.file = nil
    }
  }

  private func finish(_ state: inout State) throws {
    if let sealer = state.sealer { try append(sealer.finish(), to: &state) }
    let file = try intactFile(state)
    guard state.storedByteCount == completeByteCount else { throw PartialFileFailure.storage }
    try file.synchronize()
  }

  /// A complete file leaves nothing but its final name.
  func removeRemains() {}

  private var completeByteCount: Int64 {
    request.sealing == nil ? request.size : SealedLayout.storedByteCount(of: request.size)
  }

  private func checkRoom(for byteCount: Int64) throws(PartialFileFailure) {
    guard directory.hasRoom(for: byteCount, beside: reserve) else { throw .full }
  }

  /// Submits work, which is skipped once something has failed.
  private func submit<Value: Sendable>(
    _ completion: @escaping FileCompletion<Value>,
    _ work: @escaping @Sendable (inout State) throws -> Value
  ) {
    let isAccepted = lane.submit { [self] in
      let result = state.withLock { state -> Result<Value, PartialFileFailure> in
        if let failure = state.failure { return .failure(failure) }
        do {
          return .success(try work(&state))
        } catch {
          let failure = PartialFileFailure(error)
          state.failure = failure
          return .failure(failure)
        }
      }
      completion(result)
    }
    if !isAccepted { completion(.failure(.storage)) }
  }
}

extension PartialFileFailure {
  /// Converts an error of the file system to a failure.
  package init(_ error: any Error) {
    switch error {
    case let failure as PartialFileFailure: self = failure
    case let error as SystemError where [ENOSPC, EDQUOT, EFBIG].contains(error.code): self = .full
    default: self = .storage
    }
  }
}

extension RunningDigest.Algorithm {
  fileprivate init(_ algorithm: UploadChecksum.Algorithm) {
    switch algorithm {
    case .sha1: self = .sha1
    case .sha256: self = .sha256
    }
  }
}
