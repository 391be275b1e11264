import Glibc
import Reactor
import Synchronization

/// A file that is being received.
///
/// Its bytes go to a temporary place as they come, and nothing of it outlives the process until it
/// is complete. What is asked for is done in order, on the thread of files; completions run there.
package final class FileUpload: Sendable {
  /// The id of the file in the store.
  package let id: String
  private let directory: FileDirectory
  private let jobs: JobQueue<FileJob>
  private let state = Mutex(State.waiting)

  private enum State {
    /// Nothing has come.
    case waiting
    case open(Int32)
    /// The upload stays incomplete.
    case failed(SystemError)
    /// Complete, or given up.
    case ended
  }

  init(id: String, directory: FileDirectory, jobs: JobQueue<FileJob>) {
    self.id = id
    self.directory = directory
    self.jobs = jobs
  }

  // Giving it up may have been refused, by a queue that is full.
  deinit {
    state.withLock { state in
      guard case .open(let descriptor) = state else { return }
      close(descriptor)
      unlink(path)
    }
  }

  /// Appends bytes; once that has failed, nothing succeeds any more.
  package func write(
    _ bytes: [UInt8], completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    submit(completion) { [self] in
      try change { descriptor throws(SystemError) in
        try Self.write(bytes[...], to: descriptor, at: path)
        return .open(descriptor)
      }
    }
  }

  /// Makes the file safe on disk: complete, under its final name, for good.
  package func complete(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
    submit(completion) { [self] in
      try change { descriptor throws(SystemError) in
        guard fsync(descriptor) == 0 else { throw .last("fsync", on: path) }
        try directory.keep(id)
        close(descriptor)
        return .ended
      }
    }
  }

  /// Removes what has come of it; a file that is complete is left alone.
  package func discard() {
    _ = jobs.submit { [self] in
      state.withLock { state in
        if case .open(let descriptor) = state { close(descriptor) }
        state = .ended
      }
      unlink(path)
    }
  }

  /// Does something with the open file, and removes it when that fails.
  private func change(
    _ body: (Int32) throws(SystemError) -> State
  ) throws(SystemError) {
    try state.withLock { state throws(SystemError) in
      do throws(SystemError) {
        if case .waiting = state { state = .open(try open()) }
        state = try body(try descriptor(in: state))
      } catch {
        if case .open(let descriptor) = state { close(descriptor) }
        unlink(path)
        state = .failed(error)
        throw error
      }
    }
  }

  private func open() throws(SystemError) -> Int32 {
    let opened = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard opened >= 0 else { throw .last("open", on: path) }
    return opened
  }

  private func descriptor(in state: State) throws(SystemError) -> Int32 {
    switch state {
    case .open(let descriptor): return descriptor
    case .failed(let error): throw error
    case .waiting, .ended: throw SystemError(call: "write", code: EBADF, object: path)
    }
  }

  private var path: String { directory.incomingPath(of: id) }

  private func submit(
    _ completion: @escaping @Sendable (Result<Void, any Error>) -> Void,
    _ work: @escaping @Sendable () throws -> Void
  ) {
    switch jobs.submit({ completion(Result { try work() }) }) {
    case .accepted: break
    case .overloaded: completion(.failure(StoreError.overloaded))
    case .closed: completion(.failure(StoreError.closed))
    }
  }

  private static func write(
    _ bytes: ArraySlice<UInt8>, to descriptor: Int32, at path: String
  ) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw .last("write", on: path)
      }
      rest = rest.dropFirst(count)
    }
  }
}
