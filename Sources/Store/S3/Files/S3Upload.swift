import Synchronization

/// A file that is being received into a bucket.
///
/// Small files are stored with one request when they are complete. Others are stored in parts as they
/// arrive; at most one part, and the few bytes received while it is being sent, is in memory.
final class S3Upload: FileUpload {
  typealias Completion = @Sendable (Result<Void, any Error>) -> Void

  /// The minimum size of a part, except the last.
  static let partByteCount = 5_242_880

  /// The object that a failed upload leaves under its id.
  enum Remains: Sendable {
    /// None: the id is new, and an object that was stored nevertheless is removed.
    case nothing
    /// The previous object or the one sent: the store knows the id.
    case anyObject
  }

  fileprivate enum Stage {
    /// Bytes are being gathered.
    case gathering
    /// A request with a body of this many bytes is in progress.
    case sending(request: UInt64?, byteCount: Int)
    case failed(any Error)
    /// Complete, or discarded.
    case ended
  }

  fileprivate struct State {
    var stage = Stage.gathering
    var bytes: [UInt8] = []
    /// The number of bytes sent.
    var sentByteCount: Int64 = 0
    var parts: S3Bucket.Multipart?
    /// The writes whose bytes wait for the request in progress.
    var writers: [Completion] = []
    /// The call that waits for completion.
    var finisher: Completion?
  }

  /// The action to take once the lock is released.
  private enum Step {
    case nothing
    case answer([Completion], Result<Void, any Error>)
    case begin
    case putPart([UInt8], S3Bucket.Multipart)
    case putWhole([UInt8])
    case join(S3Bucket.Multipart, byteCount: Int64)
  }

  let id: String
  private let bucket: S3Bucket
  private let remains: Remains
  private let state = Mutex(State())

  init(id: String, to bucket: S3Bucket, failingInto remains: Remains) {
    self.id = id
    self.bucket = bucket
    self.remains = remains
  }

  deinit {
    state.withLock { state in
      if let parts = state.parts { bucket.abort(parts) }
    }
  }

  var heldByteCount: Int {
    state.withLock { state in
      if case .sending(_, let count) = state.stage { return state.bytes.count + count }
      return state.bytes.count
    }
  }

  func write(_ bytes: [UInt8], completion: @escaping Completion) {
    carryOut(
      state.withLock { state in
        switch state.stage {
        case .failed(let error): return .answer([completion], .failure(error))
        case .ended: return .answer([completion], .failure(Self.ended))
        case .gathering, .sending: break
        }
        state.bytes += bytes
        state.writers.append(completion)
        return Self.next(&state)
      })
  }

  func complete(completion: @escaping Completion) {
    carryOut(
      state.withLock { state in
        switch state.stage {
        case .failed(let error): return .answer([completion], .failure(error))
        case .ended: return .answer([completion], .failure(Self.ended))
        case .gathering, .sending: break
        }
        state.finisher = completion
        return Self.next(&state)
      })
  }

  func discard() {
    let (request, parts) = state.withLock { state -> (UInt64?, S3Bucket.Multipart?) in
      // From here on, only the answer determines whether the file exists.
      if state.finisher != nil { return (nil, nil) }
      var request: UInt64?
      if case .sending(let number, _) = state.stage { request = number }
      defer { state = State(stage: .ended) }
      return (request, state.parts)
    }
    if let request { bucket.cancel(request) }
    if let parts { bucket.abort(parts) }
  }

  private static let ended = S3Error("the upload has ended")

  /// Chooses the next request, which only starts when none is in progress.
  private static func next(_ state: inout State) -> Step {
    guard case .gathering = state.stage else { return .nothing }
    let isLast = state.finisher != nil
    guard state.bytes.count >= partByteCount || isLast else {
      defer { state.writers = [] }
      return .answer(state.writers, .success(()))
    }
    guard let parts = state.parts else {
      let fits = state.bytes.count < partByteCount
      state.stage = .sending(request: nil, byteCount: fits ? state.bytes.count : 0)
      return fits ? .putWhole(take(&state)) : .begin
    }
    guard !state.bytes.isEmpty else {
      state.stage = .sending(request: nil, byteCount: 0)
      return .join(parts, byteCount: state.sentByteCount)
    }
    state.stage = .sending(request: nil, byteCount: state.bytes.count)
    return .putPart(take(&state), parts)
  }

  private static func take(_ state: inout State) -> [UInt8] {
    var bytes: [UInt8] = []
    swap(&bytes, &state.bytes)
    state.sentByteCount += Int64(bytes.count)
    return bytes
  }

  private func carryOut(_ step: Step) {
    switch step {
    case .nothing: break
    case .answer(let completions, let result): for completion in completions { completion(result) }
    case .begin:
      note(bucket.beginMultipart(id) { [self] result in didStore(result.map { $0 }) })
    case .putPart(let bytes, let parts):
      note(bucket.putPart(bytes, of: parts) { [self] result in didStore(result.map { $0 }) })
    case .putWhole(let bytes): note(bucket.put(id, bytes) { [self] in didFinish($0) })
    case .join(let parts, let byteCount):
      note(bucket.complete(parts, byteCount: byteCount) { [self] in didFinish($0) })
    }
  }

  /// Records the number of the started request, unless it has been answered already.
  private func note(_ number: UInt64) {
    let isDiscarded = state.withLock { state in
      switch state.stage {
      case .sending(nil, let count):
        state.stage = .sending(request: number, byteCount: count)
        return false
      case .ended: return true
      case .sending, .gathering, .failed: return false
      }
    }
    if isDiscarded { bucket.cancel(number) }
  }

  /// A multipart upload was started, or has another part.
  private func didStore(_ result: Result<S3Bucket.Multipart, S3Error>) {
    switch result {
    case .failure(let error): fail(error)
    case .success(let parts):
      let (step, isDiscarded) = state.withLock { state -> (Step, Bool) in
        guard case .sending = state.stage else { return (.nothing, true) }
        state.parts = parts
        state.stage = .gathering
        return (Self.next(&state), false)
      }
      isDiscarded ? bucket.abort(parts) : carryOut(step)
    }
  }

  /// The file is complete, or has failed.
  private func didFinish(_ result: Result<Void, S3Error>) {
    guard case .success = result else {
      if case .failure(let error) = result { fail(error) }
      return
    }
    let completions = state.withLock { state in
      defer { state = State(stage: .ended) }
      return state.waiting
    }
    for completion in completions { completion(.success(())) }
  }

  private func fail(_ error: S3Error) {
    let (completions, parts, wasLast) = state.withLock {
      state -> ([Completion], S3Bucket.Multipart?, Bool) in
      defer { state = State(stage: .failed(error)) }
      return (state.waiting, state.parts, state.finisher != nil)
    }
    if let parts { bucket.abort(parts) }
    switch remains {
    // The answer to an executed request may have been lost.
    case .nothing: if wasLast { bucket.remove(id) { _ in } }
    case .anyObject: break
    }
    for completion in completions { completion(.failure(error)) }
  }
}

extension S3Upload.State {
  /// All completions that wait for an answer.
  fileprivate var waiting: [S3Upload.Completion] { writers + (finisher.map { [$0] } ?? []) }
}
